// Reports of experiments: tables, plots and pages that `retold experiment` wrote.

import { html, useState } from '../vendor/preact.js';
import { get, path, save, send } from '../api.js';
import { number, t } from '../i18n.js';
import { Answered, Button, CopyAs, Failure, useAnswer } from '../ui.js';

const address = (name, file) => `/api/v1${path`/experiments/${name}`}/${file.split('/').map(encodeURIComponent).join('/')}`;

function Picture({ name, file }) {
  const answer = useAnswer(async (signal) => {
    const response = await send('GET', address(name, file.name), { signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return `data:${file.type.split(';')[0]};base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
  }, [name, file.name]);
  return html`<${Answered} answer=${answer}>${(source) => html`<figure><img class="drawing" src=${source} alt=${file.name}/><figcaption>${file.name}</figcaption></figure>`}</${Answered}>`;
}

function Report({ experiment }) {
  const [problem, setProblem] = useState(null);
  const isPicture = (file) => /^image\//.test(file.type) && file.bytes < 2e6;
  const pictures = experiment.files.filter(isPicture);
  const keep = (file) => send('GET', address(experiment.name, file.name)).then(async (response) => save(await response.blob(), file.name.split('/').at(-1))).catch(setProblem);
  return html`<details class="card"><summary><strong>${experiment.title || experiment.name}</strong> <span class="quiet">${experiment.folder}</span></summary><${Failure} problem=${problem}/>
    <ul>${experiment.files.filter((file) => !isPicture(file)).map((file) => html`<li><${Button} kind="small" onClick=${() => keep(file)}>${file.name}</${Button}> <span class="quiet">${number(file.bytes)} B</span></li>`)}</ul>
    ${pictures.slice(0, 24).map((file) => html`<${Picture} name=${experiment.name} file=${file}/>`)}</details>`;
}

export function Experiments() {
  const answer = useAnswer(async (signal) => (await get('/experiments', {}, signal)).experiments, []);
  return html`<h1 tabindex="-1">${t('page.experiments')}</h1><p>${t('experiments.about')}</p>
    <${Answered} answer=${answer}>${(all) => (all.length === 0 ? html`<p>${t('experiments.none')}</p>` : all.map((one) => html`<${Report} key=${one.name} experiment=${one}/>`))}</${Answered}>
    <${CopyAs} command="retold experiment all --data DATA -o DATA/experiments/report" request=${{ path: '/api/v1/experiments' }}/>`;
}
