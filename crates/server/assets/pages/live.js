// Stories as they come, as the front page of a news portal: copies stand behind the one that told first.

import { html, useEffect, useState } from '../vendor/preact.js';
import { events, get, path } from '../api.js';
import { t, time } from '../i18n.js';
import { change } from '../router.js';
import { shown } from '../settings.js';
import { Answered, Button, Choice, CopyAs, Failure, Name, largest, useAnswer } from '../ui.js';

/** Stories that are kept on the page. */
const MOST = 300;

/** Puts a story to its cluster, the newest in front. */
function taken(groups, story) {
  const cluster = story.cluster || story.id;
  const before = groups.find((group) => group.cluster === cluster);
  const stories = [...(before?.stories || []).filter((one) => one.id !== story.id), story].sort((x, y) => x.number - y.number);
  return [{ cluster, stories, latest: story.number }, ...groups.filter((group) => group !== before)].slice(0, MOST);
}

function Group({ group }) {
  const [isOpen, setOpen] = useState(false);
  const [first, ...copies] = group.stories;
  const told = first.first && first.first.id !== first.id ? first.first : null;
  return html`<li class="card"><h2><${Name}>${first.title || first.id}</${Name}></h2>
    <p class="quiet">${[shown(first.source), time(first.time)].filter(Boolean).join(' · ')}</p>
    ${told ? html`<p>${t('live.first', { name: shown(told.id) })}</p>` : null}
    ${copies.length ? html`<p><${Button} kind="small" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${t('search.copies', { n: copies.length })}</${Button}></p>
      ${isOpen ? html`<ul>${copies.map((one) => html`<li><${Name}>${one.title || one.id}</${Name}> <span class="quiet">${[shown(one.source), time(one.time)].filter(Boolean).join(' · ')}</span></li>`)}</ul>` : null}` : null}</li>`;
}

export function Live({ query }) {
  const collections = useAnswer(async (signal) => (await get('/collections', {}, signal)).collections, []);
  const collection = query.get('in') || collections.value?.find((one) => one.window_seconds)?.name || largest(collections.value);
  // Of a large collection only the latest are shown.
  const after = Math.max(0, (collections.value?.find((one) => one.name === collection)?.searched.documents || 0) - MOST);
  const [groups, setGroups] = useState([]);
  const [isOn, setOn] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    setGroups([]);
    if (!collections.value || !collection || isPaused) return undefined;
    const abort = new AbortController();
    const hear = ({ data }) => setGroups((before) => taken(before, data));
    events(path`/collections/${collection}/stream`, { after: after || undefined }, abort.signal, hear, setOn)
      .catch((error) => !abort.signal.aborted && setProblem(error));
    return () => abort.abort();
  }, [collections.value, collection, isPaused]);
  return html`<h1 tabindex="-1">${t('page.live')}</h1><${Answered} answer=${collections}>${(all) => html`<div class="row">
      <${Choice} label=${t('new.collection')} value=${collection} change=${(name) => change({ in: name })} options=${all.map((one) => [one.name, one.title || one.name])}/>
      <${Button} aria-pressed=${isPaused} onClick=${() => setPaused(!isPaused)}>${t(isPaused ? 'live.go_on' : 'live.pause')}</${Button}>
      <span role="status">${isPaused ? t('live.paused') : isOn ? t('live.on') : t('live.waiting')}</span></div>`}</${Answered}>
    <${Failure} problem=${problem}/>
    ${groups.length === 0 && isOn ? html`<p>${t('live.none')}</p>` : null}
    <ul class="cards" aria-live="off">${groups.map((group) => html`<${Group} key=${group.cluster} group=${group}/>`)}</ul>
    <${CopyAs} command=${`retold stream - --index ${collection || 'wire'}.idx --window 7d`} request=${{ path: `/api/v1/collections/${collection}/stream?wait=30` }}/>`;
}
