// Full-text search; copies of a document are folded behind one of them.

import { html, useState } from '../vendor/preact.js';
import { get, path } from '../api.js';
import { t, time } from '../i18n.js';
import { change } from '../router.js';
import { shown } from '../settings.js';
import { Answered, Button, Choice, CopyAs, Field, Name, largest, useAnswer, useCursors } from '../ui.js';

/** An excerpt with the words that were asked for; marks are in bytes of UTF-8. */
export function Excerpt({ text, marks }) {
  const bytes = new TextEncoder().encode(text);
  const decode = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
  const parts = [];
  let at = 0;
  for (const [start, end] of marks) { parts.push(decode(at, start), html`<mark>${decode(start, end)}</mark>`); at = end; }
  return html`<p class="text">${parts}${decode(at)}</p>`;
}

/** Which of a document and its copies is shown first. */
function first(hit, order) {
  const all = [{ ...hit, isHit: true }, ...hit.folded];
  if (order === 'earliest') {
    const at = (one) => { const when = Date.parse(one.time); return Number.isNaN(when) ? Infinity : when; };
    return all.reduce((best, one) => (at(one) < at(best) ? one : best));
  }
  if (order === 'complete') return all.reduce((best, one) => (one.characters > best.characters ? one : best));
  return all[0];
}

function Hit({ hit, order, collection }) {
  const [isOpen, setOpen] = useState(false);
  const lead = first(hit, order);
  const others = [hit, ...hit.folded].filter((one) => one.id !== lead.id);
  const [document, setDocument] = useState(null);
  const show = (id) => get(path`/collections/${collection}/documents/${id}`).then(setDocument, () => setDocument(null));
  return html`<li class="card hit"><h2><button type="button" class="as-link" onClick=${() => show(lead.id)}><${Name}>${lead.title || lead.id}</${Name}></button></h2>
    <p class="quiet">${[shown(lead.source), time(lead.time)].filter(Boolean).join(' · ')}</p><${Excerpt} text=${hit.excerpt} marks=${hit.marks}/>
    ${others.length ? html`<p><${Button} kind="small" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${t('search.copies', { n: others.length })}</${Button}></p>
      ${isOpen ? html`<ul class="folded">${others.map((one) => html`<li><button type="button" class="as-link" onClick=${() => show(one.id)}><${Name}>${one.title || one.id}</${Name}></button>
        <span class="quiet">${[shown(one.source), time(one.time)].filter(Boolean).join(' · ')}</span></li>`)}</ul>` : null}` : null}
    ${document ? html`<details open><summary><${Name}>${document.id}</${Name}></summary><div class="text">${document.text}</div>
      <p><a href=${`/check?in=${encodeURIComponent(collection)}`}>${t('page.check')}</a></p></details>` : null}</li>`;
}

export function Search({ query }) {
  const collections = useAnswer(async (signal) => (await get('/collections', {}, signal)).collections, []);
  const collection = query.get('in') || largest(collections.value);
  const asked = query.get('q') || '';
  const fold = query.get('fold') || 'cluster';
  const order = query.get('first') || 'best';
  const [typed, setTyped] = useState(asked);
  const [pages, setPages] = useCursors([asked, collection, fold]);
  const after = pages.at(-1);
  const answer = useAnswer((signal) => (asked && collection ? get(path`/collections/${collection}/search`, { q: asked, fold, limit: 20, after }, signal) : Promise.resolve(false)), [asked, collection, fold, after]);
  return html`<h1 tabindex="-1">${t('page.search')}</h1>
    <form class="row" role="search" onSubmit=${(event) => { event.preventDefault(); change({ q: typed.trim() }, {}); }}>
      <${Field} label=${t('search.words')}><input type="search" size="40" value=${typed} onInput=${(event) => setTyped(event.target.value)}/></${Field}>
      <${Choice} label=${t('new.collection')} value=${collection} change=${(name) => change({ in: name })} options=${(collections.value || []).map((one) => [one.name, one.title || one.name])}/>
      <${Choice} label=${t('search.fold')} value=${fold} change=${(name) => change({ fold: name })} options=${[['cluster', t('search.folded')], ['none', t('search.unfolded')]]}/>
      <${Choice} label=${t('search.first')} value=${order} change=${(name) => change({ first: name })} options=${['best', 'earliest', 'complete'].map((name) => [name, t(`search.first_${name}`)])}/>
      <${Button} type="submit" kind="primary">${t('page.search')}</${Button}></form>
    ${asked ? html`<${Answered} answer=${answer}>${(found) => (found === false ? null : html`
      <p role="status">${t('search.found', { n: found.found })} <span class="quiet">${t('check.searched', { n: found.searched.documents, newest: time(found.searched.newest) || '–' })} ${found.folded_among ? t('search.among', { n: found.folded_among }) : ''} ${found.remarks.join(' ')}</span></p>
      <ul class="hits">${found.hits.map((hit) => html`<${Hit} key=${hit.id} hit=${hit} order=${order} collection=${collection}/>`)}</ul>
      <p class="pager"><${Button} disabled=${pages.length === 1} onClick=${() => setPages(pages.slice(0, -1))}>${t('grid.previous')}</${Button}><span>${t('grid.page', { n: pages.length })}</span>
        <${Button} disabled=${!found.next} onClick=${() => setPages([...pages, found.next])}>${t('grid.next')}</${Button}></p>`)}</${Answered}>` : html`<p>${t('search.hint')}</p>`}
    <${CopyAs} request=${{ path: `/api/v1/collections/${collection}/search?${new URLSearchParams({ q: asked, fold })}` }}/>`;
}
