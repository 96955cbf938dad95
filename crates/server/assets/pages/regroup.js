// Other thresholds on a result that holds all pairs: what would remain is counted at once, and a new result is made of
// the stored scores without a new search.

import { html, useState } from '../vendor/preact.js';
import { get, path, post } from '../api.js';
import { percent, t } from '../i18n.js';
import { go } from '../router.js';
import { Button, Choice, Failure, useAnswer } from '../ui.js';

export function Regroup({ result, told }) {
  const least = told.settings?.set?.containment ?? 0.6;
  const [share, setShare] = useState(least);
  const [clusters, setClusters] = useState('star');
  const [keep, setKeep] = useState('longest');
  const [problem, setProblem] = useState(null);
  const left = useAnswer((signal) => get(path`/results/${result}/facets`, { table: 'pairs', filter: `in:${share}..1` }, signal), [result, share]);
  if (!told.holds_all_pairs) return html`<p>${t('regroup.not_all')}</p>`;
  const start = () => post('/jobs', { kind: 'regroup', input: { result: Number(result) }, title: t('regroup.title', { share: percent(share) }),
    settings: { containment: share, clusters, keep } }).then((job) => go(`/jobs/${job.id}?follow=yes`), setProblem);
  return html`<div class="card"><p>${t('regroup.about')}</p><label class="field"><span>${t('regroup.share')}: <output>${percent(share)}</output></span>
      <input type="range" min=${least} max="1" step="0.01" value=${share} onInput=${(event) => setShare(Number(event.target.value))}/></label>
    <p role="status">${left.value ? t('regroup.left', { n: left.value.matching }) : t('loading')}</p>
    <div class="fields"><${Choice} label=${t('new.clusters')} value=${clusters} change=${setClusters} options=${['star', 'components', 'cliques'].map((name) => [name, t(`new.name_${name}`)])}/>
      <${Choice} label=${t('new.keep')} value=${keep} change=${setKeep} options=${['longest', 'oldest', 'newest', 'first'].map((name) => [name, t(`new.keep_${name}`)])}/></div>
    <${Failure} problem=${problem}/><${Button} kind="primary" onClick=${start}>${t('regroup.start')}</${Button}></div>`;
}
