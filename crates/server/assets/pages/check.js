// Check a text: paste or drop it, see its sources passage by passage, and what is found nowhere. What is quoted, comes
// from a source that the text names, or from one's own earlier texts, is marked or left out.

import { html, useMemo, useState } from '../vendor/preact.js';
import { get, path, post, save } from '../api.js';
import { percent, t, time } from '../i18n.js';
import { shown } from '../settings.js';
import { united, within, without, words } from '../spans.js';
import { Answered, Button, Choice, CopyAs, Failure, Field, Name, Share, largest, relation, useAnswer } from '../ui.js';
import { Drop } from './new.js';
import { SideBySide, facts, pieces, standalone } from './side.js';

/** What may be told apart, and what becomes of it. */
const KINDS = ['quoted', 'cited', 'own'];
const WAYS = ['mark', 'skip', 'count'];

const list = (text) => text.split(',').map((one) => one.trim()).filter(Boolean);

/** Whether a document is one of those that a person listed by id, source or title. */
const isListed = (hit, names) => [hit.id, hit.source, hit.title].some((one) => one && names.some((name) => name.toLowerCase() === one.toLowerCase()));

/** Stretches of the text that are quoted, cited or one's own, each kind united. */
function stretches(asked, { hits, quotations }) {
  const [own, cited] = [list(asked.own), list(asked.cited)];
  const of = (belongs) => united(hits.filter(belongs).flatMap((hit) => hit.evidence.map(({ a }) => a)));
  return { quoted: quotations || [], cited: of((hit) => isListed(hit, cited) || hit.credit?.is_named), own: of((hit) => isListed(hit, own)) };
}

/** Sources without what is left out, what was left out, and words of both. */
function sorted(asked, answer) {
  const found = stretches(asked, answer);
  const skipped = KINDS.filter((kind) => asked.ways[kind] === 'skip');
  const out = united(skipped.flatMap((kind) => found[kind]));
  const explained = united(answer.attribution.sources.flatMap((source) => source.spans));
  const left = explained.flatMap((span) => within(span, out));
  const marked = KINDS.filter((kind) => asked.ways[kind] === 'mark');
  const sources = answer.attribution.sources.map((source) => {
    const spans = source.spans.flatMap((span) => without(span, out));
    const n = words(asked.text, spans);
    // A kind that most of a source belongs to.
    const tags = marked.filter((kind) => words(asked.text, spans.flatMap((span) => within(span, found[kind]))) * 2 > n);
    return { ...source, spans, n_left: n, tags };
  }).filter((source) => source.n_left > 0);
  const why = (span) => skipped.find((kind) => within(span, found[kind]).length) || 'quoted';
  return { sources, left: left.map((span) => ({ span, kind: why(span) })), n_left: words(asked.text, left), found, marked };
}

/** The text with its sources numbered; what was left out is grey, and what stands nowhere plain. */
function Attributed({ text, sources, left }) {
  const spans = [...sources.flatMap((source, n) => source.spans.map((span) => ({ span, n }))), ...left];
  const parts = pieces(text, spans.map((one) => one.span));
  return html`<div class="text card">${parts.map((piece) => {
    if (piece.passage === null) return piece.text;
    const { n, kind } = spans[piece.passage];
    if (kind) return html`<span class="common" title=${t(`check.left_${kind}`)}>${piece.text}</span>`;
    return html`<mark class=${`mark-${n % 6 + 1}`}><sup><a href=${`#source-${n + 1}`} aria-label=${t('check.source_n', { n: n + 1 })}>${n + 1}</a></sup>${piece.text}</mark>`;
  })}</div>`;
}

function Answer({ asked, answer, collection }) {
  const [open, setOpen] = useState(null);
  const [problem, setProblem] = useState(null);
  const { sources, left, n_left: nLeft, found, marked } = useMemo(() => sorted(asked, answer), [asked, answer]);
  const { attribution } = answer;
  const hits = new Map(answer.hits.map((hit) => [hit.id, hit]));
  const read = async (id) => ({ document: await get(path`/collections/${collection}/documents/${id}`), hit: hits.get(id) });
  const show = (id) => read(id).then(setOpen, setProblem);
  const draft = { id: t('check.draft'), text: asked.text, markup: asked.markup };
  const share = (n) => ({ share: percent(n / Math.max(1, attribution.n_words)), words: n, of: attribution.n_words });
  const headline = attribution.n_found === 0 ? t('check.nothing') : t('check.found', share(attribution.n_found));
  const rest = nLeft ? t('check.rest', share(Math.max(0, attribution.n_found - nLeft))) : '';
  const told = KINDS.filter((kind) => asked.ways[kind] !== 'count' && found[kind].length).map((kind) => t(`check.${asked.ways[kind] === 'skip' ? 'skipped' : 'marked'}_${kind}`, { n: words(asked.text, found[kind]) }));
  const searched = t('check.searched', { n: answer.searched.documents, newest: time(answer.searched.newest) || '–' });
  const tags = (source) => source.tags.map((kind) => t(`check.${kind}`));
  // The source that is open stands beside the text, or the first one.
  const report = async () => {
    const beside = open || (sources[0] ? await read(sources[0].id) : { document: { id: '', text: '' } });
    const lines = sources.map((source, n) => `${n + 1}. ${[shown(hits.get(source.id)?.title || source.id), t('check.words', { n: source.n_left }), ...tags(source)].join(' – ')}`);
    const page = standalone(t('check.report'), [headline, ...(rest ? [rest] : []), ...told, ...lines, searched],
      beside.document, draft, (beside.hit?.evidence || []).map(({ a, b }) => ({ a: b, b: a })));
    save(new Blob([page], { type: 'text/html' }), 'check.html');
  };
  return html`<section aria-live="polite"><h2>${headline}</h2>${rest ? html`<p><strong>${rest}</strong></p>` : null}
    <p class="quiet">${searched} ${answer.searched.truncated ? t('check.truncated') : ''} ${answer.is_too_short ? t('check.too_short') : ''}</p>
    <${Failure} problem=${problem}/>${told.map((line) => html`<p>${line}</p>`)}
    <ol class="sources">${sources.map((source, n) => {
      const hit = hits.get(source.id) || {};
      return html`<li id=${`source-${n + 1}`}><strong><${Name}>${hit.title || source.id}</${Name}></strong> <span class="quiet">${[shown(source.id), shown(hit.source), time(hit.time)].filter(Boolean).join(' · ')}</span>
        <p>${relation(hit.relation)} · ${t('check.words', { n: source.n_left })} <${Share} value=${hit.of_text}/> ${tags(source).map((tag) => html`<span class="tag">${tag}</span> `)}
        <${Button} kind="small" onClick=${() => show(source.id)}>${t('check.side')}</${Button}></p></li>`;
    })}</ol>
    <${Attributed} text=${asked.text} sources=${sources} left=${left}/>
    ${open ? html`<h2><${Name}>${open.document.id}</${Name}></h2>${open.hit ? html`<ul>${facts(open.hit).slice(0, 4).map((fact) => html`<li>${fact}</li>`)}</ul>` : null}
      <${SideBySide} key=${open.document.id} a=${draft} b=${open.document} passages=${open.hit?.evidence || []}/>` : null}
    <p class="row no-print"><${Button} onClick=${() => report().catch(setProblem)}>${t('check.export')}</${Button}><${Button} onClick=${() => print()}>${t('side.print')}</${Button}></p></section>`;
}

/** A file as text: of one that is no text the server reads it. */
async function read(file) {
  if (/\.(txt|md|html?)$/i.test(file.name) || file.type.startsWith('text/')) return { text: await file.text(), markup: /\.html?$/i.test(file.name) ? 'html' : 'plain' };
  const { documents } = await post('/preview/files', file, { type: 'application/octet-stream', parameters: { name: file.name } });
  if (documents.length === 0) throw new Error(t('new.nothing'));
  return { text: documents[0].text, markup: documents[0].markup };
}

export function Check({ query }) {
  const collections = useAnswer(async (signal) => (await get('/collections', {}, signal)).collections, []);
  const [wanted, setWanted] = useState({ text: '', markup: 'plain', collection: query.get('in') || '', ways: { quoted: 'mark', cited: 'mark', own: 'skip' }, cited: '', own: '' });
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const set = (some) => setWanted((before) => ({ ...before, ...some }));
  const collection = wanted.collection || largest(collections.value);
  const body = { text: wanted.text, markup: wanted.markup, offsets: 'utf16', top: 50, quotes: 'mark' };
  const check = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const answer = await post(path`/collections/${collection}/query`, body);
      setTold({ answer, asked: { ...wanted }, collection, n: (told?.n || 0) + 1 });
      setProblem(null);
    } catch (error) { setProblem(error); setTold(null); }
    setBusy(false);
  };
  const take = ([file]) => file && read(file).then((some) => { set(some); setProblem(null); }, setProblem);
  const way = (kind) => html`<${Choice} label=${t(`check.ways_${kind}`)} about=${t(`check.about_${kind}`)} value=${wanted.ways[kind]} change=${(name) => set({ ways: { ...wanted.ways, [kind]: name } })}
    options=${WAYS.map((name) => [name, t(`check.way_${name}`)])}/>`;
  return html`<h1 tabindex="-1">${t('page.check')}</h1><p>${t('about.check')}</p>
    <${Answered} answer=${collections}>${(all) => html`<form onSubmit=${check} aria-busy=${isBusy}>
      <div class="fields"><${Choice} label=${t('new.collection')} value=${collection} change=${(name) => set({ collection: name })} options=${all.map((one) => [one.name, one.title || one.name])}/></div>
      <${Field} label=${t('check.text')}><textarea required value=${wanted.text} onInput=${(event) => set({ text: event.target.value, markup: 'plain' })}></textarea></${Field}>
      <${Drop} label=${t('check.file')} choose=${take}/>
      <details><summary>${t('check.apart')}</summary><div class="fields">${way('quoted')}</div><div class="fields">${way('cited')}
        <${Field} label=${t('check.cited_sources')} about=${t('check.names_about')}><input value=${wanted.cited} onInput=${(event) => set({ cited: event.target.value })}/></${Field}></div><div class="fields">${way('own')}
        <${Field} label=${t('check.own_texts')} about=${t('check.names_about')}><input value=${wanted.own} onInput=${(event) => set({ own: event.target.value })}/></${Field}></div></details>
      <p class="row"><${Button} type="submit" kind="primary" disabled=${isBusy || !collection}>${isBusy ? t('loading') : t('check.check')}</${Button}>
        <span class="quiet">${t('check.size', { n: wanted.text.length })}</span></p></form>`}</${Answered}>
    <${Failure} problem=${problem}/>
    ${told ? html`<${Answer} key=${told.n} asked=${told.asked} answer=${told.answer} collection=${told.collection}/>` : null}
    <${CopyAs} command=${`retold query draft.txt --in ${collection || 'archive'}.idx --quotes mark`} request=${{ method: 'POST', path: `/api/v1/collections/${collection}/query`, body: { ...body, text: wanted.text.slice(0, 200) } }}/>`;
}
