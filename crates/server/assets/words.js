// Words of two texts that differ, by the greedy algorithm of Myers (1986): its time grows with the differences and not
// with the product of the lengths, so that long passages with few changes are compared at once.

/** Most words in which texts may differ: beyond it a person waits, and sees nothing but differences. */
const MOST = 1500;

const cut = (text) => text.match(/\s*\S+\s*/g) || [];
const folded = (word) => word.toLocaleLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Steps from the beginning to the end of both lists as `[inX, inY]`, or null if there are too many differences. */
function path(x, y) {
  const most = Math.min(MOST, x.length + y.length);
  // furthest[k + most + 1] is how far in x the diagonal k was followed.
  const furthest = new Int32Array(2 * most + 3);
  const trace = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(furthest.slice(most + 1 - d, most + 2 + d));
    for (let k = -d; k <= d; k += 2) {
      const at = most + 1 + k;
      let i = k === -d || (k !== d && furthest[at - 1] < furthest[at + 1]) ? furthest[at + 1] : furthest[at - 1] + 1;
      while (i < x.length && i - k < y.length && x[i] === y[i - k]) i += 1;
      furthest[at] = i;
      if (i >= x.length && i - k >= y.length) return back(trace, x.length, y.length);
    }
  }
  return null;
}

/** Goes back through what was reached with each number of differences. */
function back(trace, nx, ny) {
  const steps = [];
  let [i, j] = [nx, ny];
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reached = (k) => (Math.abs(k) > d ? -1 : trace[d][k + d]);
    const k = i - j;
    const isDown = k === -d || (k !== d && reached(k - 1) < reached(k + 1));
    const before = d === 0 ? 0 : isDown ? k + 1 : k - 1;
    const from = d === 0 ? 0 : reached(before);
    while (i > from + (d === 0 || isDown ? 0 : 1) && j > from - before + (d === 0 || !isDown ? 0 : 1)) { i -= 1; j -= 1; steps.push([i, j]); }
    if (d > 0 && isDown) { j -= 1; steps.push([-1, j]); } else if (d > 0) { i -= 1; steps.push([i, -1]); }
  }
  return steps.reverse();
}

/** Words without a partner in their order that the other text has elsewhere: their numbers in both texts. */
function movedWords(steps, x, y) {
  const places = new Map();
  for (const [i, j] of steps) if (i < 0) places.set(y[j], [...(places.get(y[j]) || []), j]);
  const moved = [new Set(), new Set()];
  for (const [i, j] of steps) {
    const other = j < 0 ? places.get(x[i])?.shift() : undefined;
    if (other !== undefined) { moved[0].add(i); moved[1].add(other); }
  }
  return moved;
}

/**
 * Returns the words of both texts as `{text, differs}`, or null if too many differ. Stretches that are the same are one.
 * If words of the passage moved, those that stand elsewhere in the other text do not differ and have `moved`.
 */
export function differences(a, b, hasMoved = false) {
  const [x, y] = [cut(a), cut(b)];
  const keys = [x.map(folded), y.map(folded)];
  const steps = path(...keys);
  if (!steps) return null;
  const moved = hasMoved ? movedWords(steps, ...keys) : [new Set(), new Set()];
  const sides = [[], []];
  const add = (side, text, hasPartner, isMoved) => {
    const last = side.at(-1);
    if (isMoved) side.push({ text, differs: false, moved: true });
    else if (last && hasPartner && !last.differs && !last.moved) last.text += text;
    else side.push({ text, differs: !hasPartner });
  };
  for (const [i, j] of steps) {
    if (i >= 0) add(sides[0], x[i], j >= 0, moved[0].has(i));
    if (j >= 0) add(sides[1], y[j], i >= 0, moved[1].has(j));
  }
  return sides;
}
