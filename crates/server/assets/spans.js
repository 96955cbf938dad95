// Stretches of a text, `[start, end]`: what is left of some without others, and their words.

/** Spans in their order, those that touch as one. */
export function united(spans) {
  const all = [];
  for (const [start, end] of [...spans].sort((x, y) => x[0] - y[0])) {
    const last = all.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end); else all.push([start, end]);
  }
  return all;
}

/** What is left of a span without others, which are united. */
export function without([start, end], others) {
  const left = [];
  let at = start;
  for (const [from, to] of others) {
    if (to <= at || from >= end) continue;
    if (from > at) left.push([at, from]);
    at = Math.max(at, to);
  }
  if (at < end) left.push([at, end]);
  return left;
}

/** What of a span lies in others, which are united. */
export const within = ([start, end], others) => others.filter(([from, to]) => to > start && from < end)
  .map(([from, to]) => [Math.max(start, from), Math.min(end, to)]);

/** Words of spans of a text. */
export const words = (text, spans) => spans.reduce((sum, span) => sum + (text.slice(...span).match(/[\p{L}\p{N}]+/gu) || []).length, 0);
