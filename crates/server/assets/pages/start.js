// The first page: what is here, and what can be done.

import { html } from '../vendor/preact.js';
import { get } from '../api.js';
import { number, t, time } from '../i18n.js';
import { Answered, CopyAs, useAnswer } from '../ui.js';
import { PAGES } from './index.js';

export function Start() {
  const answer = useAnswer(async (signal) => {
    const [{ collections }, { results }, { jobs }] = await Promise.all([
      get('/collections', {}, signal), get('/results', { limit: 20 }, signal), get('/jobs', { limit: 20 }, signal)]);
    return { collections, results, jobs };
  }, []);
  return html`<h1 tabindex="-1">Retold</h1><p>${t('start.about')}</p>
    <ul class="cards">${PAGES.filter((page) => page.isLinked).map((page) => html`<li class="card">
      <h2><a href=${page.path}>${t(`page.${page.name}`)}</a></h2><p>${t(`about.${page.name}`)}</p></li>`)}</ul>
    <${Answered} answer=${answer}>${({ collections, results, jobs }) => html`
      <h2>${t('start.collections')}</h2>
      <div class="scroll" tabindex="0" role="region" aria-label=${t('start.collections')}><table><thead><tr>
        <th scope="col">${t('column.name')}</th><th scope="col">${t('column.documents')}</th><th scope="col">${t('column.newest')}</th><th scope="col">${t('column.methods')}</th></tr></thead>
        <tbody>${collections.map((collection) => html`<tr><td class="table-link"><a href=${`/search?in=${encodeURIComponent(collection.name)}`}>${collection.title || collection.name}</a></td>
          <td class="number">${number(collection.searched.documents)}</td><td class="table-link">${time(collection.searched.newest)}</td><td>${collection.methods.join(', ')}</td></tr>`)}</tbody></table></div>
      <h2>${t('start.results')}</h2>
      ${results.length === 0 ? html`<p>${t('start.no_results')}</p>` : html`<ul>${results.map((result) => html`<li>
        <a href=${`/results/${result.id}`}>${result.title || t('start.result', { n: result.id })}</a> <span class="quiet">${t(`kind.${result.kind}`)} · ${time(result.ended)}</span></li>`)}</ul>`}
      ${jobs.some((job) => ['queued', 'running'].includes(job.status)) ? html`<h2>${t('start.jobs')}</h2><ul>${jobs
        .filter((job) => ['queued', 'running'].includes(job.status)).map((job) => html`<li><a href=${`/jobs/${job.id}`}>${job.title || t('start.job', { n: job.id })}</a>
          <span class="quiet">${t(`status.${job.status}`)}</span></li>`)}</ul>` : null}
      <${CopyAs} command="retold index stats COLLECTION.idx" request=${{ path: '/api/v1/collections' }}/>`}</${Answered}>`;
}
