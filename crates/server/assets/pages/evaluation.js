// A result beside a list of known pairs: five numbers, and where the two disagree.

import { html, useState } from '../vendor/preact.js';
import { path, post } from '../api.js';
import { number, percent, t } from '../i18n.js';
import { Bars, Button, Failure, Field, Name, relation } from '../ui.js';
import { Drop } from './new.js';

const FIGURES = ['known', 'found', 'common', 'precision', 'recall'];

function Disagreements({ title, list, row }) {
  return html`<details><summary>${title} (${number(list.total)})</summary><ul>${list.pairs.slice(0, 200).map((pair) => html`<li><${Name}>${pair.a}</${Name}> · <${Name}>${pair.b}</${Name}> <span class="quiet">${row(pair)}</span></li>`)}</ul>
    ${list.total > Math.min(200, list.pairs.length) ? html`<p class="quiet">${t('evaluate.rest', { n: list.total - Math.min(200, list.pairs.length) })}</p>` : null}</details>`;
}

export function Evaluation({ result }) {
  const [text, setText] = useState('');
  const [isComplete, setComplete] = useState(false);
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState(null);
  const run = (event) => {
    event.preventDefault();
    post(path`/results/${result}/evaluation`, text, { type: 'text/tab-separated-values', parameters: { complete: isComplete || undefined } })
      .then((answer) => { setTold(answer); setProblem(null); }, setProblem);
  };
  return html`<p>${t('evaluate.about')}</p><form onSubmit=${run}>
    <${Field} label=${t('evaluate.pairs')} about=${t('evaluate.pairs_about')}><textarea required value=${text} spellcheck="false" onInput=${(event) => setText(event.target.value)}></textarea></${Field}>
    <${Drop} label=${t('evaluate.file')} choose=${async ([file]) => file && setText(await file.text())}/>
    <label class="field check"><input type="checkbox" checked=${isComplete} onChange=${(event) => setComplete(event.target.checked)}/><span>${t('evaluate.complete')}</span><small>${t('evaluate.complete_about')}</small></label>
    <p><${Button} type="submit" kind="primary">${t('evaluate.run')}</${Button}></p></form><${Failure} problem=${problem}/>
    ${told ? html`<section aria-live="polite"><dl class="figures">${FIGURES.map((name) => html`<div><dt>${t(`evaluate.${name}`)}</dt>
      <dd>${['precision', 'recall'].includes(name) ? percent(told[name], 1) : number(told[name])}</dd></div>`)}<div><dt>F1</dt><dd>${percent(told.f1, 1)}</dd></div></dl>
      <${Bars} label=${t('evaluate.agree')} bins=${['common', 'only_known', 'only_found'].map((name) => ({ text: t(`evaluate.${name}`), count: told[name] }))}/>
      <${Disagreements} title=${t('evaluate.only_known')} list=${told.not_found} row=${(pair) => pair.label || ''}/>
      <${Disagreements} title=${t('evaluate.only_found')} list=${told.not_known} row=${(pair) => `${relation(pair.relation)} ${percent(pair.score)}`}/>
      ${told.remarks.length ? html`<h3>${t('evaluate.log')}</h3><ul>${told.remarks.map((remark) => html`<li>${remark}</li>`)}</ul>` : null}</section>` : null}`;
}
