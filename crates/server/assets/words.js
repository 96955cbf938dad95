// Words of two texts that differ.

/** Most words of both texts multiplied: beyond it a person waits. */
const MOST = 4e6;

const cut = (text) => text.match(/\s*\S+\s*/g) || [];
const folded = (word) => word.toLocaleLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Returns the words of both texts as `{text, differs}`, or null if the texts are too long. */
export function differences(a, b) {
  const [x, y] = [cut(a), cut(b)];
  if (x.length * y.length > MOST) return null;
  const [fx, fy] = [x.map(folded), y.map(folded)];
  // Longest common subsequence, from the end.
  const width = y.length + 1;
  const table = new Uint16Array((x.length + 1) * width);
  for (let i = x.length - 1; i >= 0; i -= 1) {
    for (let j = y.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = fx[i] === fy[j] ? table[(i + 1) * width + j + 1] + 1
        : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const [left, right] = [[], []];
  let i = 0;
  let j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && fx[i] === fy[j]) {
      left.push({ text: x[i], differs: false }); right.push({ text: y[j], differs: false });
      i += 1; j += 1;
    } else if (j >= y.length || (i < x.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      left.push({ text: x[i], differs: true }); i += 1;
    } else {
      right.push({ text: y[j], differs: true }); j += 1;
    }
  }
  return [left, right];
}
