// Parts of the pages that need no browser: words that differ, and stretches of a text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { united, within, without, words } from '../../crates/server/assets/spans.js';
import { differences } from '../../crates/server/assets/words.js';

let state = 1;
const below = (n) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 2147483648 * n); };

/** Length of the longest common subsequence, by the table of all prefixes. */
function common(x, y) {
  const table = Array.from({ length: x.length + 1 }, () => new Array(y.length + 1).fill(0));
  for (let i = x.length - 1; i >= 0; i -= 1) for (let j = y.length - 1; j >= 0; j -= 1) table[i][j] = x[i] === y[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  return table[0][0];
}

test('both texts are whole, and as few words differ as can be', () => {
  const some = () => Array.from({ length: below(25) }, () => 'abcd'[below(4)]);
  for (let n = 0; n < 2000; n += 1) {
    const [x, y] = [some(), some()];
    const sides = differences(x.join(' '), y.join(' '));
    const of = (side, isSame) => side.filter((word) => !isSame || !word.differs).map((word) => word.text).join('');
    assert.deepEqual(sides.map((side) => of(side, false)), [x.join(' '), y.join(' ')]);
    const same = sides.map((side) => of(side, true).replace(/\s/g, ''));
    assert.equal(same[0], same[1]);
    assert.equal(same[0].length, common(x, y));
  }
  assert.deepEqual(differences('One, two.', 'one two'), [[{ text: 'One, two.', differs: false }], [{ text: 'one two', differs: false }]]);
});

test('words that moved are told from words that differ', () => {
  const [a, b] = differences('on Monday the old bridge closed', 'the bridge closed today on Monday', true);
  assert.deepEqual(a.filter((word) => word.moved).map((word) => word.text.trim()), ['on', 'Monday']);
  assert.deepEqual(a.filter((word) => word.differs).map((word) => word.text.trim()), ['old']);
  assert.deepEqual(b.filter((word) => word.moved).map((word) => word.text.trim()), ['on', 'Monday']);
  assert.deepEqual(b.filter((word) => word.differs).map((word) => word.text.trim()), ['today']);
  assert.equal(differences('one two', 'two one')[0].some((word) => word.moved), false);
});

test('long texts with few differences are compared, and those that differ in everything are not', () => {
  const long = Array.from({ length: 50000 }, (_, n) => `w${n}`);
  const sides = differences(long.join(' '), long.map((word, n) => (n % 1000 ? word : 'other')).join(' '));
  assert.equal(sides[1].filter((word) => word.differs).length, 50);
  assert.equal(differences(long.join(' '), long.map((word) => `${word}x`).join(' ')), null);
});

test('stretches are cut by others', () => {
  assert.deepEqual(united([[5, 9], [1, 3], [2, 5]]), [[1, 9]]);
  assert.deepEqual(without([0, 20], [[3, 5], [8, 30]]), [[0, 3], [5, 8]]);
  assert.deepEqual(without([4, 6], [[0, 9]]), []);
  assert.deepEqual(within([0, 20], [[3, 5], [8, 30], [40, 50]]), [[3, 5], [8, 20]]);
  assert.equal(words('one two, three', [[0, 7], [8, 14]]), 3);
});
