// Reports of experiments: what `retold experiment` wrote, with its tables and plots, and its files.

import { html, useState } from '../vendor/preact.js';
import { get, path, save, send } from '../api.js';
import { number, t } from '../i18n.js';
import { Markdown } from '../markdown.js';
import { Answered, Button, CopyAs, Failure, useAnswer } from '../ui.js';

/** Bytes of a plot or a report that are shown. */
const MOST_SHOWN = 2e6;

const address = (name, file) => `/api/v1${path`/experiments/${name}`}/${file.split('/').map(encodeURIComponent).join('/')}`;

function Picture({ name, file, alt }) {
  const answer = useAnswer(async (signal) => {
    const response = await send('GET', address(name, file.name), { signal });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return `data:${file.type.split(';')[0]};base64,${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}`;
  }, [name, file.name]);
  return html`<${Answered} answer=${answer}>${(source) => html`<figure><img class="drawing" src=${source} alt=${alt || file.name}/><figcaption>${alt || file.name}</figcaption></figure>`}</${Answered}>`;
}

/** The report itself; its plots stand where it names them. */
function Told({ experiment }) {
  const report = experiment.files.find((file) => file.name === 'report.md');
  const answer = useAnswer(async (signal) => {
    if (!report || report.bytes > MOST_SHOWN) return '';
    return (await send('GET', address(experiment.name, report.name), { signal })).text();
  }, [experiment.name]);
  const picture = (name, alt) => {
    const file = experiment.files.find((one) => one.name === name && /^image\//.test(one.type) && one.bytes < MOST_SHOWN);
    return file ? html`<${Picture} name=${experiment.name} file=${file} alt=${alt}/>` : html`<p>${alt} (${name})</p>`;
  };
  return html`<${Answered} answer=${answer}>${(text) => html`<${Markdown} text=${text} picture=${picture}/>`}</${Answered}>`;
}

function Report({ experiment }) {
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState(null);
  const keep = (file) => send('GET', address(experiment.name, file.name)).then(async (response) => save(await response.blob(), file.name.split('/').at(-1))).catch(setProblem);
  return html`<section class="card"><h2>${experiment.title || experiment.name}</h2><p class="quiet">${experiment.folder}</p><${Failure} problem=${problem}/>
    <p><${Button} aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>${t('experiments.read')}</${Button}></p>
    ${isOpen ? html`<${Told} experiment=${experiment}/>` : null}
    <details><summary>${t('experiments.files', { n: experiment.files.length })}</summary>
      <ul>${experiment.files.map((file) => html`<li key=${file.name}><${Button} kind="small" onClick=${() => keep(file)}>${file.name}</${Button}> <span class="quiet">${number(file.bytes)} B</span></li>`)}</ul></details></section>`;
}

export function Experiments() {
  const answer = useAnswer(async (signal) => (await get('/experiments', {}, signal)).experiments, []);
  return html`<h1 tabindex="-1">${t('page.experiments')}</h1><p>${t('experiments.about')}</p>
    <${Answered} answer=${answer}>${(all) => (all.length === 0 ? html`<p>${t('experiments.none')}</p>` : all.map((one) => html`<${Report} key=${one.name} experiment=${one}/>`))}</${Answered}>
    <${CopyAs} command="retold experiment all --data DATA -o DATA/experiments/report" request=${{ path: '/api/v1/experiments' }}/>`;
}
