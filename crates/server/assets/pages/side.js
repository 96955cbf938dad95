// Two texts side by side: passages numbered, coloured and linked, a minimap, word differences on demand.

import { html, useEffect, useMemo, useRef, useState } from '../vendor/preact.js';
import { get, path, save } from '../api.js';
import { percent, t, time } from '../i18n.js';
import { settings, shown, useSettings } from '../settings.js';
import { Answered, Button, CopyAs, Name, Share, relation, tell, useAnswer, useKeys } from '../ui.js';
import { differences } from '../words.js';

/** Characters of a block: long texts are laid out block by block, when they are seen. */
const BLOCK = 4000;
/** Blocks that are put on the page in one step. */
const STEP = 150;
/** Characters from which a text is long. */
const LONG = 50000;

/** Cuts a text into pieces `{text, passage}` by the spans of passages; where spans overlap, the first one has it. */
export function pieces(text, spans) {
  const sorted = spans.map(([start, end], passage) => ({ start, end, passage })).sort((x, y) => x.start - y.start || y.end - x.end);
  const all = [];
  let at = 0;
  const add = (end, passage) => { if (end > at) { all.push({ text: text.slice(at, end), start: at, passage }); at = end; } };
  for (const { start, end, passage } of sorted) { add(start, null); add(end, passage); }
  add(text.length, null);
  return all;
}

/** Cuts pieces where stretches `{span, documents}` of boilerplate begin and end; those inside get `common`, the documents. */
function withCommon(all, stretches) {
  if (stretches.length === 0) return all;
  const found = [];
  let next = 0;
  for (const piece of all) {
    const end = piece.start + piece.text.length;
    let at = piece.start;
    const add = (to, common) => { if (to > at) { found.push({ ...piece, text: piece.text.slice(at - piece.start, to - piece.start), start: at, common, isLater: at > piece.start }); at = to; } };
    while (next < stretches.length && stretches[next].span[1] <= at) next += 1;
    for (let n = next; n < stretches.length && stretches[n].span[0] < end; n += 1) {
      add(Math.max(at, stretches[n].span[0]), null);
      add(Math.min(end, stretches[n].span[1]), stretches[n].documents);
    }
    add(end, null);
  }
  return found;
}

/** Cuts pieces into blocks at ends of lines. */
function blocks(all) {
  const cut = all.flatMap((piece) => {
    const parts = [];
    for (let from = 0; from < piece.text.length;) {
      let to = Math.min(from + BLOCK, piece.text.length);
      const line = piece.text.slice(from, to).lastIndexOf('\n');
      if (to < piece.text.length && line > 0) to = from + line + 1;
      // Half of a character would be shown as none.
      else if (to < piece.text.length && /[\uD800-\uDBFF]/.test(piece.text[to - 1])) to -= 1;
      parts.push({ ...piece, text: piece.text.slice(from, to), isFirst: from === 0 && !piece.isLater });
      from = to;
    }
    return parts;
  });
  const found = [[]];
  let size = 0;
  for (const piece of cut) {
    if (size > BLOCK) { found.push([]); size = 0; }
    found.at(-1).push(piece);
    size += piece.text.length;
  }
  return found;
}

/** Tags of HTML are shown small and grey: what was compared is the text between them. */
function Source({ text, isHtml }) {
  if (!isHtml) return text;
  return text.split(/(<[^>]*>)/).map((part) => (part.startsWith('<') ? html`<span class="source">${part}</span>` : part));
}

/** The reason why a stretch is grey. */
const reason = (n) => t('side.common', { n });

/** A block of a text. Tags of a long text are told apart when the block comes near to what is seen. */
function Block({ block, here, choose, change, isHtml, isLong }) {
  const element = useRef(null);
  const [isNear, setNear] = useState(!isHtml || !isLong);
  useEffect(() => {
    if (isNear) return undefined;
    const watch = new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) setNear(true); }, { rootMargin: '500px' });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [isNear]);
  const isHere = block.some((piece) => piece.passage === here) ? here : null;
  const changed = change && block.some((piece) => piece.passage === change.passage) ? change : null;
  // What is the same is not compared again.
  return useMemo(() => {
    const plain = (text) => html`<${Source} text=${text} isHtml=${isHtml && isNear}/>`;
    return html`<div ref=${element} class=${isLong ? 'block lazy' : 'block'}>${block.map((piece) => {
      if (changed && piece.passage === changed.passage) {
        // The whole passage stands in the place of its first piece.
        return piece.isFirst ? html`<mark class=${`mark-${piece.passage % 6 + 1} here`} data-passage=${piece.passage}><sup>${piece.passage + 1}</sup>
          ${changed.words.map((word) => (word.differs || word.moved ? html`<b class=${word.moved ? 'moved' : 'differs'}>${word.text}</b>` : word.text))}</mark>` : null;
      }
      if (piece.passage === null) return piece.common ? html`<span class="common" title=${reason(piece.common)}>${plain(piece.text)}</span>` : plain(piece.text);
      return html`<mark class=${`mark-${piece.passage % 6 + 1} ${piece.passage === isHere ? 'here' : ''} ${piece.common ? 'common' : ''}`} title=${piece.common ? reason(piece.common) : null}
        data-passage=${piece.passage} onClick=${() => choose(piece.passage)}>${piece.isFirst ? html`<sup>${piece.passage + 1}</sup>` : null}${plain(piece.text)}</mark>`;
    })}</div>`;
  }, [block, isHere, changed, isNear, settings.language]);
}

function Pane({ label, document, spans, common, here, choose, change, side }) {
  const parts = useMemo(() => blocks(withCommon(pieces(document.text, spans), common)), [document, spans, common]);
  const isLong = document.text.length > LONG;
  // The beginning of a long text at once, the rest in steps, between which the page answers.
  const [n, setN] = useState(STEP);
  useEffect(() => {
    if (n >= parts.length) return undefined;
    const timer = setTimeout(() => setN(n + STEP), 0);
    return () => clearTimeout(timer);
  }, [n, parts]);
  return html`<section class="pane" aria-label=${label} tabindex="0" data-side=${side}>
    <div class="text" aria-busy=${n < parts.length}>${parts.slice(0, n).map((block, at) => html`<${Block} key=${at} block=${block} here=${here} choose=${choose} change=${change} isHtml=${document.markup === 'html'} isLong=${isLong}/>`)}</div></section>`;
}

/** Where in a text the passages lie. */
function Minimap({ length, spans, choose, here, label }) {
  return html`<svg class="minimap" viewBox="0 0 12 1000" preserveAspectRatio="none" role="img" aria-label=${label}>
    <rect width="12" height="1000" class="room"/>${spans.map(([start, end], n) => html`<rect x="1" width="10" class=${`mark-${n % 6 + 1} ${n === here ? 'here' : ''}`}
      y=${start / length * 1000} height=${Math.max(4, (end - start) / length * 1000)} onClick=${() => choose(n)}><title>${n + 1}</title></rect>`)}</svg>`;
}

/** Lines between the passages that are in sight, drawn as the texts are scrolled. */
function Links({ frame, here, count }) {
  const svg = useRef(null);
  useEffect(() => {
    const root = frame.current;
    let wanted = false;
    const draw = () => {
      wanted = false;
      if (!svg.current || getComputedStyle(svg.current).display === 'none') return;
      const box = svg.current.getBoundingClientRect();
      // Where a block is out of sight its place is enough: nothing inside it is laid out for a line.
      const marks = (side) => {
        const found = new Map();
        const places = new Map();
        root.querySelectorAll(`[data-side="${side}"] mark[data-passage]`).forEach((mark) => {
          if (found.has(mark.dataset.passage)) return;
          const block = mark.closest('.block');
          if (!places.has(block)) places.set(block, block.getBoundingClientRect());
          const place = places.get(block);
          const isSeen = place.bottom > box.top && place.top < box.bottom;
          found.set(mark.dataset.passage, isSeen ? mark.getBoundingClientRect() : place);
        });
        return found;
      };
      const [left, right] = [marks('a'), marks('b')];
      const lines = [];
      for (const [passage, from] of left) {
        const to = right.get(passage);
        if (!to) continue;
        const [y1, y2] = [from.top + 10 - box.top, to.top + 10 - box.top];
        if ([y1, y2].every((y) => y < 0 || y > box.height)) continue;
        const line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        line.setAttribute('d', `M0 ${y1} C ${box.width / 2} ${y1}, ${box.width / 2} ${y2}, ${box.width} ${y2}`);
        line.setAttribute('class', Number(passage) === here ? 'here' : '');
        lines.push(line);
      }
      svg.current.replaceChildren(...lines);
    };
    const later = () => { if (!wanted) { wanted = true; requestAnimationFrame(draw); } };
    later();
    root.addEventListener('scroll', later, true);
    addEventListener('resize', later);
    return () => { root.removeEventListener('scroll', later, true); removeEventListener('resize', later); };
  }, [here, count]);
  return html`<svg class="links" ref=${svg} aria-hidden="true"></svg>`;
}

const NONE = { a: [], b: [], is_complete: true };

/**
 * Two documents `{id, text, markup}`, passages `{a, b, words, differ, moved}` between them, and what of both stands in many
 * other documents: `{a, b}` with stretches `{span, documents}`.
 */
export function SideBySide({ a, b, passages, boilerplate = NONE }) {
  useSettings();
  const frame = useRef(null);
  const fromHash = () => { const n = Number(location.hash.replace('#passage-', '')); return n >= 1 && n <= passages.length ? n - 1 : 0; };
  const [here, setHere] = useState(fromHash);
  const [showsWords, setShowsWords] = useState(false);
  const spansA = useMemo(() => passages.map((passage) => passage.a), [passages]);
  const spansB = useMemo(() => passages.map((passage) => passage.b), [passages]);
  const wanted = useRef(null);
  // Until both are there, and once more, as blocks that come into sight get their true height.
  const scroll = (n, isAgain = false) => {
    if (!frame.current || wanted.current !== n) return;
    const marks = ['a', 'b'].map((side) => frame.current.querySelector(`[data-side="${side}"] mark[data-passage="${n}"]`));
    marks.forEach((mark) => mark?.scrollIntoView({ block: 'center' }));
    const areThere = marks.every(Boolean) || !frame.current.querySelector('.text[aria-busy=true]');
    if (!areThere || !isAgain) requestAnimationFrame(() => scroll(n, areThere));
  };
  const choose = (n) => {
    setHere(n);
    wanted.current = n;
    history.replaceState(null, '', `#passage-${n + 1}`);
    requestAnimationFrame(() => scroll(n));
  };
  useEffect(() => { if (location.hash) { wanted.current = here; requestAnimationFrame(() => scroll(here)); } }, []);
  const move = (step) => passages.length && choose((here + step + passages.length) % passages.length);
  useKeys({ n: () => move(1), p: () => move(-1) }, [here, passages]);
  const changes = useMemo(() => {
    if (!showsWords || !passages[here]) return [null, null];
    const found = differences(a.text.slice(...passages[here].a), b.text.slice(...passages[here].b), passages[here].moved > 0);
    if (!found) { tell(t('side.too_long')); return [null, null]; }
    return found.map((words) => ({ passage: here, words }));
  }, [showsWords, here, passages]);
  const now = passages[here];
  const common = now && commonIn(now.a, boilerplate.a);
  return html`<div class="row no-print"><${Button} onClick=${() => move(-1)} disabled=${!passages.length}>${t('side.previous')} <kbd>p</kbd></${Button}>
      <${Button} onClick=${() => move(1)} disabled=${!passages.length}>${t('side.next')} <kbd>n</kbd></${Button}>
      <span role="status">${now ? t('side.passage', { n: here + 1, of: passages.length, words: now.words + (now.moved || 0), differ: now.differ }) : t('side.none')}
        ${common ? html` <span class="tag">${t('side.boilerplate')}</span> ${reason(common)}` : null}</span>
      <label class="field check"><input type="checkbox" checked=${showsWords} onChange=${(event) => setShowsWords(event.target.checked)}/><span>${t('side.words')}</span></label>
      ${now ? html`<${Button} onClick=${() => navigator.clipboard?.writeText(location.href.replace(/#.*/, '') + `#passage-${here + 1}`).then(() => tell(t('copy.done')), () => tell(t('copy.failed')))}>${t('side.link')}</${Button}>` : null}</div>
    ${boilerplate.a.length + boilerplate.b.length ? html`<p class="quiet"><span class="common">${t('side.grey')}</span> ${t('side.grey_about')} ${boilerplate.is_complete ? '' : t('side.grey_cut')}</p>` : null}
    <div class="side" ref=${frame}>
      <${Minimap} length=${a.text.length || 1} spans=${spansA} choose=${choose} here=${here} label=${t('side.map', { name: shown(a.id) })}/>
      <${Pane} label=${shown(a.id)} document=${a} spans=${spansA} common=${boilerplate.a} here=${here} choose=${choose} change=${changes[0]} side="a"/>
      <${Links} frame=${frame} here=${here} count=${passages.length}/>
      <${Pane} label=${shown(b.id)} document=${b} spans=${spansB} common=${boilerplate.b} here=${here} choose=${choose} change=${changes[1]} side="b"/>
      <${Minimap} length=${b.text.length || 1} spans=${spansB} choose=${choose} here=${here} label=${t('side.map', { name: shown(b.id) })}/>
    </div>`;
}

/** In how many other documents most of a span stands; none if in few. */
function commonIn([start, end], stretches) {
  const inside = stretches.filter(({ span }) => span[0] < end && span[1] > start);
  const length = inside.reduce((sum, { span }) => sum + Math.min(end, span[1]) - Math.max(start, span[0]), 0);
  return length * 2 > end - start ? Math.min(...inside.map((one) => one.documents)) : null;
}

/** One case as a page that stands by itself: no script, nothing from elsewhere. */
export function standalone(title, facts, a, b, passages) {
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
  const marked = (document, spans) => pieces(document.text, spans).map((piece) => (piece.passage === null ? escape(piece.text)
    : `<mark class="m${piece.passage % 6 + 1}"><sup>${piece.passage + 1}</sup>${escape(piece.text)}</mark>`)).join('');
  const head = (document) => `<h2>${escape(shown(document.id))}</h2><p>${escape([document.title, shown(document.source), time(document.time)].filter(Boolean).join(' · '))}</p>`;
  return `<!doctype html><html lang="${document.documentElement.lang}"><head><meta charset="utf-8"><title>${escape(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body{font:16px/1.5 Georgia,serif;margin:2rem;max-width:80rem}.two{display:grid;grid-template-columns:1fr 1fr;gap:2rem}.t{white-space:pre-wrap;overflow-wrap:anywhere}
.m1{background:#ffe08a}.m2{background:#b9e3c6}.m3{background:#c9d8f7}.m4{background:#f6cbd1}.m5{background:#e3d0f2}.m6{background:#cfe9ec}</style></head>
<body><h1>${escape(title)}</h1><ul>${facts.map((fact) => `<li>${escape(fact)}</li>`).join('')}</ul><div class="two">
<section>${head(a)}<div class="t">${marked(a, passages.map((x) => x.a))}</div></section><section>${head(b)}<div class="t">${marked(b, passages.map((x) => x.b))}</div></section></div></body></html>`;
}

/** What the scores mean, in sentences. */
export function facts(pair) {
  return [t('side.fact_relation', { relation: relation(pair.relation) }), t('side.fact_a', { share: percent(pair.a_in_b, 1) }), t('side.fact_b', { share: percent(pair.b_in_a, 1) }),
    t('side.fact_both', { share: percent(pair.resemblance, 1) }), t('side.fact_words', { a: pair.a_words, b: pair.b_words })];
}

export function Pair({ values }) {
  const { result, pair: n } = values;
  const answer = useAnswer((signal) => get(path`/results/${result}/pairs/${n}`, { offsets: 'utf16' }, signal), [result, n]);
  return html`<${Answered} answer=${answer}>${({ pair, a, b, boilerplate }) => {
    const title = `${shown(pair.a)} – ${shown(pair.b)}`;
    const passages = pair.evidence || [];
    const keep = () => save(new Blob([standalone(title, facts(pair), a, b, passages)], { type: 'text/html' }), `pair-${result}-${n}.html`);
    const head = (document, words, share) => html`<div><h2><${Name}>${document.id}</${Name}></h2><p class="quiet">${[document.title, shown(document.source), time(document.time)].filter(Boolean).join(' · ')}</p>
      <p>${t('side.words_of', { n: words })} · <${Share} value=${share}/></p></div>`;
    return html`<p><a href=${`/results/${result}?table=pairs`}>← ${t('start.result', { n: result })}</a></p>
      <h1 tabindex="-1">${relation(pair.relation)}</h1>
      <div class="heads">${head(a, pair.a_words, pair.a_in_b)}${head(b, pair.b_words, pair.b_in_a)}</div>
      <details><summary>${t('side.explain')}</summary><ul>${facts(pair).map((fact) => html`<li>${fact}</li>`)}</ul><p class="quiet">${t('side.explain_about')}</p>
        ${pair.evidence_cut ? html`<p>${t('side.cut', { n: pair.evidence_cut })}</p>` : null}</details>
      <${SideBySide} a=${a} b=${b} passages=${passages} boilerplate=${boilerplate}/>
      <p class="row no-print"><${Button} onClick=${keep}>${t('side.export')}</${Button}><${Button} onClick=${() => print()}>${t('side.print')}</${Button}></p>
      <${CopyAs} command="retold compare A B" request=${{ path: `/api/v1/results/${result}/pairs/${n}?offsets=utf16` }}/>`;
  }}</${Answered}>`;
}
