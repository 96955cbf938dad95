// A new search in four steps: documents and cleaning, method, clusters, start and results.

import { html, useEffect, useRef, useState } from '../vendor/preact.js';
import { address, get, path, post, send } from '../api.js';
import { number, percent, t } from '../i18n.js';
import { go } from '../router.js';
import { Answered, Button, Choice, CopyAs, Failure, Field, Progress, SchemaFields, Share, largest, relation, useAnswer } from '../ui.js';

const STEPS = ['input', 'method', 'clusters', 'start'];

/** A file that is dropped or chosen. */
export function Drop({ label, choose, file, multiple }) {
  const [isOver, setOver] = useState(false);
  const drop = (event) => { event.preventDefault(); setOver(false); choose([...event.dataTransfer.files]); };
  return html`<div class=${`drop ${isOver ? 'over' : ''}`} onDragOver=${(event) => { event.preventDefault(); setOver(true); }}
    onDragLeave=${() => setOver(false)} onDrop=${drop}>
    <label>${label} <input type="file" multiple=${multiple} onChange=${(event) => choose([...event.target.files])}/></label>
    ${file?.length ? html`<p>${file.map((one) => one.name).join(', ')}</p>` : html`<p class="quiet">${t('new.drop')}</p>`}</div>`;
}

/** Folders and files below the roots that the server was started with. */
function Folder({ path: here, set }) {
  const answer = useAnswer((signal) => (here ? get('/roots/files', { path: here }, signal) : get('/roots', {}, signal)), [here]);
  return html`<${Answered} answer=${answer}>${(told) => {
    const entries = told.entries || told.roots.map((root) => ({ name: root.path, path: root.path, kind: 'folder' }));
    return html`${entries.length === 0 ? html`<p>${t('new.no_roots')}</p>` : null}<ul class="folder">${told.parent ? html`<li><button type="button" class="as-link" onClick=${() => set({ path: told.parent })}>..</button></li>` : null}
      ${entries.map((entry) => html`<li><button type="button" class="as-link" onClick=${() => set({ path: entry.path })}>${entry.name}${entry.kind === 'folder' ? '/' : ''}</button></li>`)}</ul>`;
  }}</${Answered}>`;
}

function Input({ wanted, set, collections }) {
  return html`<fieldset><legend>${t('new.documents')}</legend>
    <div class="row" role="radiogroup" aria-label=${t('new.documents')}>${['upload', 'collection', 'folder'].map((kind) => html`<label class="field check">
      <input type="radio" name="from" checked=${wanted.from === kind} onChange=${() => set({ from: kind })}/><span>${t(`new.from_${kind}`)}</span></label>`)}</div>
    ${wanted.from === 'upload' ? html`<${Drop} label=${t('new.files')} file=${wanted.files} multiple choose=${(files) => set({ files })}/><p class="quiet">${t('new.upload_about')}</p>` : null}
    ${wanted.from === 'collection' ? html`<${Choice} label=${t('new.collection')} value=${wanted.collection} change=${(collection) => set({ collection })}
      options=${collections.map((one) => [one.name, `${one.title || one.name} (${number(one.searched.documents)})`])}/>` : null}
    ${wanted.from === 'folder' ? html`<${Folder} path=${wanted.path} set=${set}/><${Field} label=${t('new.folder')} about=${t('new.folder_about')}><input value=${wanted.path} onInput=${(event) => set({ path: event.target.value })}/></${Field}>` : null}
  </fieldset>
  <fieldset><legend>${t('new.cleaning')}</legend><div class="fields">
    <${Choice} label=${t('new.html')} value=${wanted.settings.html || 'text'} change=${(html_) => set({ settings: { ...wanted.settings, html: html_ } })}
      options=${[['text', t('new.html_text')], ['main', t('new.html_main')]]}/>
    <${Choice} label=${t('new.stem')} value=${wanted.settings.stem || 'none'} change=${(stem) => set({ settings: { ...wanted.settings, stem } })}
      options=${['none', 'english', 'turkish', 'german', 'french', 'spanish'].map((name) => [name, t(`stem.${name}`)])}/>
    <label class="field check"><input type="checkbox" checked=${wanted.settings['stop-words'] === 'auto'} onChange=${(event) => set({ settings: { ...wanted.settings, 'stop-words': event.target.checked ? 'auto' : undefined } })}/>
      <span>${t('new.stop_words')}</span><small>${t('new.stop_words_about')}</small></label></div></fieldset>`;
}

function Method({ wanted, set, methods }) {
  const method = methods.find((one) => one.name === wanted.settings.method) || methods[0];
  const change = (name, value) => {
    const parameters = { ...wanted.settings.set, [name]: value };
    if (value === undefined) delete parameters[name];
    set({ settings: { ...wanted.settings, set: parameters } });
  };
  return html`<fieldset><legend>${t('new.method')}</legend>
    <${Choice} label=${t('new.method')} value=${method.name} options=${methods.map((one) => [one.name, `${one.name} – ${one.title || one.schema?.description || ''}`])}
      change=${(name) => set({ settings: { ...wanted.settings, method: name, set: {} } })}/>
    <p>${method.schema?.description} <a href=${`/docs/methods/${method.name}`}>${t('new.method_more')}</a></p>
    ${method.approximate ? html`<p class="quiet">${method.approximate}</p>` : null}
    ${method.is_quadratic ? html`<p><strong>${t('new.quadratic')}</strong></p>` : null}
    <h3>${t('new.parameters')}</h3><${SchemaFields} schema=${method.schema} values=${wanted.settings.set || {}} change=${change}/></fieldset><${Preview} wanted=${wanted}/>`;
}

/** Bytes of a packed file that are sent for a preview, and of one that can be cut. */
const MOST_PACKED = 32e6;
const MOST_PLAIN = 1e6;

/** The first three documents of files, as the server reads them. */
async function firstDocuments(files, signal) {
  const found = [];
  for (const file of files.slice(0, 3)) {
    if (found.length >= 3) break;
    const isPacked = /\.(zip|gz|zst|xz|tar|tgz|parquet|pdf)$/i.test(file.name);
    if (isPacked && file.size > MOST_PACKED) continue;
    const part = isPacked ? file : file.slice(0, MOST_PLAIN);
    const { documents } = await post('/preview/files', part, { type: 'application/octet-stream', parameters: { name: file.name }, signal });
    found.push(...documents);
  }
  return found.slice(0, 3).map(({ id, title, text, markup }) => ({ title: title || id, text: text.slice(0, 60000), markup }));
}

/** What the settings make of three documents, again whenever a setting changes. */
function Preview({ wanted }) {
  const read = useRef(null);
  const [settings, setSettings] = useState(wanted.settings);
  const text = JSON.stringify(wanted.settings);
  useEffect(() => { const timer = setTimeout(() => setSettings(JSON.parse(text)), 400); return () => clearTimeout(timer); }, [text]);
  const answer = useAnswer(async (signal) => {
    let of = { collection: wanted.collection };
    if (wanted.from === 'folder') of = { path: wanted.path };
    if (wanted.from === 'upload') {
      read.current ??= await firstDocuments(wanted.files, signal);
      if (read.current.length === 0) return false;
      of = { documents: read.current };
    }
    return (await send('POST', address('/preview'), { body: { ...of, settings: cleaned(settings) }, signal })).json();
  }, [settings, wanted.from, wanted.collection]);
  return html`<section aria-label=${t('new.preview')}><h3>${t('new.preview')}</h3><${Answered} answer=${answer}>${(told) => (told === false ? html`<p>${t('new.no_preview')}</p>` : html`
    <div class="cards" aria-busy=${answer.isBusy}>${told.documents.map((one) => html`<div class="card"><h4>${one.title || one.id}</h4>
      <p class="quiet">${[t('new.preview_words', { words: one.words, sentences: one.sentences, kept: one.kept_words }),
        one.units !== null && t('new.preview_units', { n: one.units }), one.image_bytes !== null && t('new.preview_bytes', { n: one.image_bytes })].filter(Boolean).join(' · ')}</p>
      ${one.too_short ? html`<p>${t('check.too_short')}</p>` : null}
      <p class="clip">${one.text.slice(0, 240)}…</p><p class="mono">${(one.first_runs.length ? one.first_runs : one.first_words).slice(0, 4).join(' | ')}</p></div>`)}</div>
    <ul>${told.pairs.map((pair) => html`<li>${[pair.a, pair.b].map((id) => { const one = told.documents.find((document) => document.id === id); return one?.title || id; }).join(' · ')}: ${pair.relation ? relation(pair.relation) : t('compare.none')} <${Share} value=${pair.resemblance}/></li>`)}</ul>`)}</${Answered}></section>`;
}

/** What the job will take, from a sample. */
function Plan({ wanted }) {
  const answer = useAnswer(async (signal) => (wanted.from === 'upload' ? false : (await send('POST', address('/plan'), { body: { input: bodyOf(wanted).input, settings: bodyOf(wanted).settings }, signal })).json()), [wanted.from]);
  if (wanted.from === 'upload') return null;
  const about = ({ expected, error }) => html`${number(expected < 10 ? Math.round(expected * 10) / 10 : Math.round(expected))} <span class="quiet">${error === null ? t('new.unchecked') : t('new.within', { share: percent(error) })}</span>`;
  return html`<section><h3>${t('new.plan')}</h3><${Answered} answer=${answer}>${(plan) => (plan === false ? null : html`<dl class="figures">
    <div><dt>${t('column.documents')}</dt><dd>${number(plan.documents)}</dd></div><div><dt>${t('new.cpu')}</dt><dd>${about(plan.cpu_seconds)}</dd></div>
    <div><dt>${t('new.memory')}</dt><dd>${about({ ...plan.memory_bytes, expected: plan.memory_bytes.expected / 1e6 })}</dd></div></dl>
    ${plan.remarks.map((remark) => html`<p class="quiet">${remark}</p>`)}`)}</${Answered}></section>`;
}

function Clusters({ wanted, set }) {
  const change = (name) => (value) => set({ settings: { ...wanted.settings, [name]: value || undefined } });
  const clusters = wanted.settings.clusters || 'star';
  return html`<fieldset><legend>${t('new.clusters')}</legend><div class="fields">
    <${Choice} label=${t('new.clusters')} value=${clusters} about=${t(`new.clusters_${clusters}`)} change=${change('clusters')}
      options=${['star', 'components', 'cliques', 'closed'].map((name) => [name, t(`new.name_${name}`)])}/>
    ${clusters === 'closed' ? html`<${Choice} label=${t('new.miner')} value=${wanted.settings.miner || 'auto'} change=${change('miner')}
      options=${['auto', 'fpmax', 'lcm', 'afopt', 'mafia', 'genmax', 'eclat', 'apriori', 'lmfi', 'add-intent'].map((name) => [name, name])}/>
    <${Field} label=${t('new.common')} about=${t('new.common_about')}><input value=${wanted.settings['min-common'] || '85%'} onInput=${(event) => change('min-common')(event.target.value)}/></${Field}>` : null}
    <${Choice} label=${t('new.kind')} value=${wanted.kind} change=${(kind) => set({ kind })} options=${[['find', t('new.kind_find')], ['dedup', t('new.kind_dedup')]]}/>
    <${Choice} label=${t('new.keep')} value=${wanted.settings.keep || 'longest'} change=${change('keep')} options=${['longest', 'oldest', 'newest', 'first'].map((name) => [name, t(`new.keep_${name}`)])}/>
    <label class="field check"><input type="checkbox" checked=${wanted.settings.pairs === 'all'} onChange=${(event) => change('pairs')(event.target.checked ? 'all' : '')}/>
      <span>${t('new.all_pairs')}</span><small>${t('new.all_pairs_about')}</small></label>
    <${Field} label=${t('new.title')}><input value=${wanted.title} onInput=${(event) => set({ title: event.target.value })}/></${Field}></div></fieldset>`;
}

const cleaned = (settings) => Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined && value !== ''));

/** What a job is given; settings that are not chosen are left to the server. */
function bodyOf(wanted) {
  const settings = cleaned(wanted.settings);
  const input = wanted.from === 'folder' ? { path: wanted.path } : { collection: wanted.collection };
  return { kind: wanted.kind, input, settings, ...(wanted.title ? { title: wanted.title } : {}) };
}

/** Puts the files into a collection of their own and returns its name. */
async function upload(files, told) {
  const name = `upload-${Date.now().toString(36)}`;
  await post('/collections', { name, title: files.map((file) => file.name).join(', ').slice(0, 60) });
  let n = 0;
  for (const file of files) {
    told(t('new.uploading', { name: file.name }));
    const added = await post(path`/collections/${name}/files`, file, { type: 'application/octet-stream', parameters: { name: file.name } });
    n += added.added + added.replaced + added.unchanged;
  }
  if (n === 0) throw new Error(t('new.nothing'));
  return name;
}

export function NewSearch() {
  const [step, setStep] = useState(0);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState('');
  const [wanted, setWanted] = useState({ from: 'upload', files: [], collection: '', path: '', kind: 'find', title: '', settings: { method: 'anchor', set: {} } });
  const set = (some) => setWanted((before) => ({ ...before, ...some }));
  const answer = useAnswer(async (signal) => {
    const [{ methods }, { collections }] = await Promise.all([get('/methods', {}, signal), get('/collections', {}, signal)]);
    set({ collection: largest(collections), from: collections.length ? 'collection' : 'upload' });
    return { methods, collections };
  }, []);
  const isReady = wanted.from === 'upload' ? wanted.files.length > 0 : wanted.from === 'folder' ? wanted.path !== '' : wanted.collection !== '';
  const start = async () => {
    setProblem(null);
    try {
      const body = bodyOf(wanted);
      if (wanted.from === 'upload') {
        body.input = { collection: await upload(wanted.files, setBusy) };
        set({ from: 'collection', collection: body.input.collection });
      }
      setBusy(t('new.starting'));
      const job = await post('/jobs', body);
      go(`/jobs/${job.id}?follow=yes`);
    } catch (error) { setProblem(error); setBusy(''); }
  };
  return html`<h1 tabindex="-1">${t('page.new')}</h1>
    <ol class="steps">${STEPS.map((name, n) => html`<li aria-current=${n === step ? 'step' : null}>${t(`new.step_${name}`)}</li>`)}</ol>
    <${Answered} answer=${answer}>${({ methods, collections }) => html`<form onSubmit=${(event) => { event.preventDefault(); if (step < 3) setStep(step + 1); else start(); }}>
      ${step === 0 ? html`<${Input} wanted=${wanted} set=${set} collections=${collections}/>` : null}
      ${step === 1 ? html`<${Method} wanted=${wanted} set=${set} methods=${methods}/>` : null}
      ${step === 2 ? html`<${Clusters} wanted=${wanted} set=${set}/>` : null}
      ${step === 3 ? html`<fieldset><legend>${t('new.step_start')}</legend><p>${t('new.summary', { method: wanted.settings.method, clusters: t(`new.name_${wanted.settings.clusters || 'star'}`) })}</p>
        <p>${wanted.from === 'upload' ? wanted.files.map((file) => file.name).join(', ') : wanted.from === 'folder' ? wanted.path : wanted.collection}</p>
        <${Plan} wanted=${wanted}/>${busy ? html`<${Progress} label=${busy}/>` : null}</fieldset>` : null}
      <${Failure} problem=${problem}/>
      <p class="row"><${Button} disabled=${step === 0 || busy !== ''} onClick=${() => setStep(step - 1)}>${t('new.back')}</${Button}>
        <${Button} type="submit" kind="primary" disabled=${!isReady || busy !== ''}>${step < 3 ? t('new.next') : t('new.start')}</${Button}></p></form>`}</${Answered}>
    <${CopyAs} command=${`retold ${wanted.kind} ${wanted.path || 'FILES'} --method ${wanted.settings.method}${Object.entries(wanted.settings.set || {}).map(([name, value]) => ` --set ${name}=${value}`).join('')} -o found`}
      request=${{ method: 'POST', path: '/api/v1/jobs', body: bodyOf(wanted) }}/>`;
}
