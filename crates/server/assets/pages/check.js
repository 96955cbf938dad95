// Check a text: paste or drop it, see its sources passage by passage, and what is found nowhere.

import { html, useMemo, useState } from '../vendor/preact.js';
import { get, path, post, save } from '../api.js';
import { percent, t, time } from '../i18n.js';
import { shown } from '../settings.js';
import { Answered, Button, Choice, CopyAs, Failure, Field, Name, Share, largest, relation, useAnswer } from '../ui.js';
import { Drop } from './new.js';
import { SideBySide, facts, pieces, standalone } from './side.js';

/** Spans of text in quotation marks; of a closing mark that is missing nothing is taken. */
export function quotations(text) {
  const found = [];
  for (const [open, close] of [['“', '”'], ['„', '“'], ['«', '»'], ['"', '"']]) {
    for (let at = 0; (at = text.indexOf(open, at)) >= 0;) {
      const end = text.indexOf(close, at + 1);
      if (end < 0) break;
      if (end - at < 2000) found.push([at, end + 1]);
      at = end + 1;
    }
  }
  return found.sort((x, y) => x[0] - y[0]);
}

const isInside = (span, all) => all.some(([start, end]) => start <= span[0] && span[1] <= end);

/** The text with its sources numbered; what stands nowhere is plain. */
function Attributed({ text, sources }) {
  const spans = sources.flatMap((source, n) => source.spans.map((span) => ({ span, n })));
  const parts = pieces(text, spans.map((one) => one.span));
  return html`<div class="text card">${parts.map((piece) => {
    if (piece.passage === null) return piece.text;
    const { n } = spans[piece.passage];
    return html`<mark class=${`mark-${n % 6 + 1}`}><sup><a href=${`#source-${n + 1}`} aria-label=${t('check.source_n', { n: n + 1 })}>${n + 1}</a></sup>${piece.text}</mark>`;
  })}</div>`;
}

function Answer({ asked, answer, collection }) {
  const [open, setOpen] = useState(null);
  const [problem, setProblem] = useState(null);
  const quoted = useMemo(() => (asked.quotes === 'count' ? [] : quotations(asked.text)), [asked]);
  const { attribution } = answer;
  const sources = attribution.sources.map((source) => ({ ...source, spans: asked.quotes === 'skip' ? source.spans.filter((span) => !isInside(span, quoted)) : source.spans }))
    .filter((source) => source.spans.length > 0);
  const hits = new Map(answer.hits.map((hit) => [hit.id, hit]));
  const show = (id) => get(path`/collections/${collection}/documents/${id}`).then((document) => setOpen({ document, hit: hits.get(id) }), setProblem);
  const draft = { id: t('check.draft'), text: asked.text, markup: 'plain' };
  const report = () => {
    const list = sources.map((source, n) => `${n + 1}. ${shown(source.id)} – ${t('check.words', { n: source.n_words })}`);
    const page = standalone(t('check.report'), [t('check.found', { share: percent(attribution.n_found / Math.max(1, attribution.n_words)), words: attribution.n_found, of: attribution.n_words }), ...list,
      t('check.searched', { n: answer.searched.documents, newest: time(answer.searched.newest) || '–' })],
    open?.document || { id: sources[0] ? sources[0].id : '', text: '' }, draft, open?.hit ? open.hit.evidence.map(({ a, b }) => ({ a: b, b: a })) : []);
    save(new Blob([page], { type: 'text/html' }), 'check.html');
  };
  return html`<section aria-live="polite"><h2>${attribution.n_found === 0 ? t('check.nothing') : t('check.found', { share: percent(attribution.n_found / Math.max(1, attribution.n_words)), words: attribution.n_found, of: attribution.n_words })}</h2>
    <p class="quiet">${t('check.searched', { n: answer.searched.documents, newest: time(answer.searched.newest) || '–' })}
      ${answer.searched.truncated ? t('check.truncated') : ''} ${answer.is_too_short ? t('check.too_short') : ''}</p>
    <${Failure} problem=${problem}/>
    ${asked.quotes !== 'count' && quoted.length ? html`<p>${t(asked.quotes === 'skip' ? 'check.quotes_skipped' : 'check.quotes_marked', { n: quoted.length })}</p>` : null}
    <ol class="sources">${sources.map((source, n) => {
      const hit = hits.get(source.id) || {};
      return html`<li id=${`source-${n + 1}`}><strong><${Name}>${hit.title || source.id}</${Name}></strong> <span class="quiet">${[shown(source.id), shown(hit.source), time(hit.time)].filter(Boolean).join(' · ')}</span>
        <p>${relation(hit.relation)} · ${t('check.words', { n: source.n_words })} <${Share} value=${hit.a_in_b}/>
        ${source.spans.every((span) => isInside(span, quoted)) && quoted.length ? html` <span class="tag">${t('check.quoted')}</span>` : null}
        <${Button} kind="small" onClick=${() => show(source.id)}>${t('check.side')}</${Button}></p></li>`;
    })}</ol>
    <${Attributed} text=${asked.text} sources=${sources}/>
    ${open ? html`<h2><${Name}>${open.document.id}</${Name}></h2>${open.hit ? html`<ul>${facts(open.hit).map((fact) => html`<li>${fact}</li>`)}</ul>` : null}
      <${SideBySide} a=${draft} b=${open.document} passages=${open.hit?.evidence || []}/>` : null}
    <p class="row no-print"><${Button} onClick=${report}>${t('check.export')}</${Button}><${Button} onClick=${() => print()}>${t('side.print')}</${Button}></p></section>`;
}

export function Check({ query }) {
  const collections = useAnswer(async (signal) => (await get('/collections', {}, signal)).collections, []);
  const [wanted, setWanted] = useState({ text: '', collection: query.get('in') || '', quotes: 'mark', without: '', ids: '' });
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const set = (some) => setWanted((before) => ({ ...before, ...some }));
  const collection = wanted.collection || largest(collections.value);
  const list = (text) => text.split(',').map((one) => one.trim()).filter(Boolean);
  const filter = { ...(list(wanted.without).length ? { without: { source: list(wanted.without) } } : {}), ...(list(wanted.ids).length ? { without_ids: list(wanted.ids) } : {}) };
  const body = { text: wanted.text, offsets: 'utf16', top: 50, filter };
  const check = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const answer = await post(path`/collections/${collection}/query`, body);
      setTold({ answer, asked: { ...wanted }, collection });
      setProblem(null);
    } catch (error) { setProblem(error); setTold(null); }
    setBusy(false);
  };
  const take = async ([file]) => { if (file) set({ text: await file.text() }); };
  return html`<h1 tabindex="-1">${t('page.check')}</h1><p>${t('about.check')}</p>
    <${Answered} answer=${collections}>${(all) => html`<form onSubmit=${check}>
      <div class="fields"><${Choice} label=${t('new.collection')} value=${collection} change=${(name) => set({ collection: name })} options=${all.map((one) => [one.name, one.title || one.name])}/>
      <${Choice} label=${t('check.quotes')} value=${wanted.quotes} change=${(quotes) => set({ quotes })} options=${['mark', 'skip', 'count'].map((name) => [name, t(`check.quotes_${name}`)])}/></div>
      <${Field} label=${t('check.text')}><textarea required value=${wanted.text} onInput=${(event) => set({ text: event.target.value })}></textarea></${Field}>
      <${Drop} label=${t('check.file')} choose=${take}/>
      <details><summary>${t('check.leave_out')}</summary><div class="fields">
        <${Field} label=${t('check.without_sources')} about=${t('check.commas')}><input value=${wanted.without} onInput=${(event) => set({ without: event.target.value })}/></${Field}>
        <${Field} label=${t('check.without_ids')} about=${t('check.own_about')}><input value=${wanted.ids} onInput=${(event) => set({ ids: event.target.value })}/></${Field}></div></details>
      <p class="row"><${Button} type="submit" kind="primary" disabled=${isBusy || !collection}>${isBusy ? t('loading') : t('check.check')}</${Button}>
        <span class="quiet">${t('check.size', { n: wanted.text.length })}</span></p></form>`}</${Answered}>
    <${Failure} problem=${problem}/>
    ${told ? html`<${Answer} key=${told.asked.text} asked=${told.asked} answer=${told.answer} collection=${told.collection}/>` : null}
    <${CopyAs} command=${`retold query draft.txt --in ${collection || 'archive'}.idx`} request=${{ method: 'POST', path: `/api/v1/collections/${collection}/query`, body: { ...body, text: wanted.text.slice(0, 200) } }}/>`;
}
