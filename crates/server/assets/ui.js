// Parts that pages are made of.

import { html, useCallback, useEffect, useLayoutEffect, useRef, useState } from './vendor/preact.js';
import { download, get } from './api.js';
import { has, number, percent, t } from './i18n.js';
import { shown, useSettings } from './settings.js';

let ids = 0;
/** An id that no other element has. */
export const useId = () => useRef(`u${ids += 1}`).current;

/**
 * Runs `ask(signal)` when `inputs` change; returns `{value, problem, isBusy, again}`. The last value stays while it
 * asks, and `isBusy` is true from the moment the inputs are others than those the value belongs to.
 */
export function useAnswer(ask, inputs) {
  const [state, set] = useState({ value: null, problem: null, of: null });
  const [round, setRound] = useState(0);
  const wanted = [...inputs, round];
  useEffect(() => {
    const abort = new AbortController();
    ask(abort.signal).then(
      (value) => !abort.signal.aborted && set({ value, problem: null, of: wanted }),
      (problem) => !abort.signal.aborted && set({ value: null, problem, of: wanted }),
    );
    return () => abort.abort();
  }, wanted);
  const isBusy = !state.of || wanted.some((one, at) => one !== state.of[at]);
  return { value: state.value, problem: state.problem, isBusy, again: useCallback(() => setRound((n) => n + 1), []) };
}

let say = () => {};
/** Tells everybody, those who listen too, what happened. */
export const tell = (text) => say(text);

export function Announcer() {
  const [text, set] = useState('');
  useEffect(() => {
    say = set;
    const timer = text && setTimeout(() => set(''), 8000);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<div class=${`toast ${text ? 'shown' : ''}`} role="status" aria-live="polite">${text}</div>`;
}

export function Button({ kind = '', type = 'button', children, ...rest }) {
  return html`<button type=${type} class=${`button ${kind}`} ...${rest}>${children}</button>`;
}

/** What went wrong, and what to do next. */
export function Failure({ problem, again }) {
  if (!problem) return null;
  return html`<div class="failure" role="alert"><p><strong>${problem.title || t('failed')}</strong></p>
    <p>${problem.detail || problem.message}</p>
    ${problem.code ? html`<p><a href=${`/problems#${problem.code}`}>${problem.code}</a></p>` : null}
    ${again ? html`<${Button} onClick=${again}>${t('again')}</${Button}>` : null}</div>`;
}

/** Shows what an answer holds, that it is awaited, or why it did not come. */
export function Answered({ answer, children }) {
  if (answer.problem) return html`<${Failure} problem=${answer.problem} again=${answer.again}/>`;
  if (answer.value === null) return html`<p class="busy" aria-busy="true">${t('loading')}</p>`;
  return children(answer.value);
}

export function Field({ label, about, children }) {
  return html`<label class="field"><span>${label}</span>${children}${about ? html`<small>${about}</small>` : null}</label>`;
}

/** A choice of one; `options` are `[value, text]`. */
export function Choice({ label, about, value, options, change }) {
  return html`<${Field} label=${label} about=${about}><select onChange=${(event) => change(event.target.value)}>
    ${options.map(([name, text]) => html`<option value=${name} selected=${name === value}>${text}</option>`)}</select></${Field}>`;
}

/** Fields made of a JSON Schema of an object; `change(name, value)`, with undefined for the default. */
export function SchemaFields({ schema, values, change }) {
  return html`<div class="fields">${Object.entries(schema?.properties || {}).map(([name, wanted]) => {
    const value = values[name] ?? wanted.default;
    const choices = wanted.enum || wanted.oneOf?.map((one) => one.const).filter((one) => one !== undefined);
    const about = wanted.description;
    if (choices?.length) {
      return html`<${Choice} label=${name} about=${about} value=${value} options=${choices.map((one) => [one, String(one)])}
        change=${(chosen) => change(name, chosen === wanted.default ? undefined : chosen)}/>`;
    }
    if (wanted.type === 'boolean') {
      return html`<label class="field check"><input type="checkbox" checked=${Boolean(value)}
        onChange=${(event) => change(name, event.target.checked === wanted.default ? undefined : event.target.checked)}/>
        <span>${name}</span><small>${about}</small></label>`;
    }
    const isNumber = wanted.type === 'integer' || wanted.type === 'number';
    const parse = (text) => (text === '' ? undefined : isNumber ? Number(text) : text);
    return html`<${Field} label=${name} about=${about}><input type=${isNumber ? 'number' : 'text'} value=${value ?? ''}
      min=${wanted.minimum ?? null} max=${wanted.maximum < 1e9 ? wanted.maximum : null}
      step=${wanted.type === 'integer' ? 1 : isNumber ? 'any' : null}
      onInput=${(event) => change(name, parse(event.target.value))}/></${Field}>`;
  })}</div>`;
}

/** The collection that a page begins with: the one with the most documents. */
export const largest = (collections) =>
  collections?.reduce((best, one) => (best && best.searched.documents >= one.searched.documents ? best : one), null)?.name || '';

/** A share as a number and a bar. */
export function Share({ value }) {
  if (value === null || value === undefined) return null;
  return html`<span class="share"><span>${percent(value, 1)}</span><meter min="0" max="1" value=${value} aria-hidden="true"></meter></span>`;
}

/** A name that can be hidden. */
export function Name({ children }) {
  useSettings();
  return html`<bdi>${shown(children)}</bdi>`;
}

/** A relation in words. */
export const relation = (name) => (name && has(`relation.${name}`) ? t(`relation.${name}`) : name || '');

/** Bars of a histogram; each is a button that filters, if `choose` is given. `bins` are `{text, count, term}`. */
export function Bars({ label, bins, choose, chosen }) {
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  return html`<figure class="bars"><figcaption>${label}</figcaption><ul>${bins.map((bin) => {
    const bar = html`<span class="bar-name">${bin.text}</span>
      <span class="bar-room" aria-hidden="true"><svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none"><rect width=${bin.count ? Math.max(1, bin.count / most * 100) : 0} height="10"/></svg></span>
      <span class="bar-count">${number(bin.count)}</span>`;
    return html`<li>${choose ? html`<button type="button" aria-pressed=${chosen?.(bin) || false} onClick=${() => choose(bin)}>${bar}</button>`
      : html`<div>${bar}</div>`}</li>`;
  })}</ul></figure>`;
}

/** How far a job is. */
export function Progress({ label, done, total }) {
  const isKnown = total > 0;
  return html`<p class="progress"><label>${label}<progress max=${isKnown ? total : null} value=${isKnown ? Math.min(done, total) : null}></progress></label>
    ${isKnown ? html`<span>${percent(Math.min(1, done / total))}</span>` : null}</p>`;
}

/** Tabs by arrow keys and pointer; `tabs` are `[name, text]`. */
export function Tabs({ label, tabs, chosen, choose }) {
  const list = useRef(null);
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const at = tabs.findIndex(([name]) => name === chosen);
    const next = (at + step + tabs.length) % tabs.length;
    choose(tabs[next][0]);
    list.current.children[next].focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} ref=${list} onKeyDown=${move}>${tabs.map(([name, text]) =>
    html`<button type="button" role="tab" aria-selected=${name === chosen} tabindex=${name === chosen ? 0 : -1}
      onClick=${() => choose(name)}>${text}</button>`)}</div>`;
}

/** A dialog over the page; Escape closes it. */
export function Dialog({ title, close, children }) {
  const element = useRef(null);
  const id = useId();
  useEffect(() => { element.current.showModal(); }, []);
  return html`<dialog ref=${element} aria-labelledby=${id} onClose=${close}><h2 id=${id}>${title}</h2>${children}</dialog>`;
}

const quoted = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`;

/** What the page shows, as a command, as a request and as Python. `request` is `{method, path, body}`. */
export function CopyAs({ command, request }) {
  const [way, choose] = useState(command ? 'command' : 'curl');
  if (!command && !request) return null;
  const url = request && location.origin + request.path;
  const body = request?.body === undefined ? '' : JSON.stringify(request.body);
  const texts = {
    command,
    curl: request && `curl -s ${request.method && request.method !== 'GET' ? `-X ${request.method} ` : ''}${body ? `--json ${quoted(body)} ` : ''}${quoted(url)}`,
    python: request && `import json, urllib.request\nrequest = urllib.request.Request(${JSON.stringify(url)}${body
      ? `,\n    ${JSON.stringify(body)}.encode(), {"content-type": "application/json"}` : ''}, method=${JSON.stringify(request.method || 'GET')})\nprint(json.load(urllib.request.urlopen(request)))`,
  };
  const ways = Object.keys(texts).filter((name) => texts[name]);
  const copy = async () => {
    try { await navigator.clipboard.writeText(texts[way]); tell(t('copy.done')); } catch { tell(t('copy.failed')); }
  };
  return html`<details class="copy-as"><summary>${t('copy.title')}</summary>
    <${Tabs} label=${t('copy.title')} tabs=${ways.map((name) => [name, t(`copy.${name}`)])} chosen=${way} choose=${choose}/>
    <pre tabindex="0">${texts[way]}</pre><${Button} onClick=${copy}>${t('copy.copy')}</${Button}></details>`;
}

/** Cursors of the pages gone through, the last one of the page shown; others when `inputs` change: `[cursors, set]`. */
export function useCursors(inputs) {
  const key = JSON.stringify(inputs);
  const [state, set] = useState({ key, cursors: [null] });
  const cursors = state.key === key ? state.cursors : [null];
  return [cursors, (some) => set({ key, cursors: some })];
}

/**
 * A table whose rows come from the server page by page. `columns` are `{name, text, sort, cell}`; `sort` is the
 * name the server sorts by. `state` is `{sort, filter}`.
 */
export function Grid({ where, columns, sort, filter, changeSort, label, parameters = {}, round = 0 }) {
  const inputs = [where, sort, filter, JSON.stringify(parameters)];
  const [cursors, setCursors] = useCursors(inputs);
  const at = cursors.length - 1;
  const answer = useAnswer((signal) => get(where, { ...parameters, filter, sort, limit: 50, after: cursors[at] }, signal), [...inputs, round, cursors[at]]);
  const head = (column) => {
    if (!column.sort || !changeSort) return html`<th scope="col">${column.text}</th>`;
    const direction = sort === column.sort ? 'ascending' : sort === `-${column.sort}` ? 'descending' : null;
    const next = direction === 'descending' ? column.sort : `-${column.sort}`;
    return html`<th scope="col" aria-sort=${direction}><button type="button" onClick=${() => changeSort(next)}>${column.text}
      <span aria-hidden="true">${direction === 'ascending' ? '▲' : direction === 'descending' ? '▼' : '↕'}</span></button></th>`;
  };
  return html`<${Answered} answer=${answer}>${(page) => html`<div class="grid" aria-busy=${answer.isBusy}>
    <p class="quiet">${t('grid.count', { matching: page.matching, total: page.total })}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${label}><table><caption class="hidden">${label}</caption>
      <thead><tr>${columns.map(head)}</tr></thead>
      <tbody>${page.rows.map((row) => html`<tr key=${row.number}>${columns.map((column) =>
        html`<td class=${column.isNumber ? 'number' : column.kind || ''} data-label=${column.text}>${column.cell(row.row, row)}</td>`)}</tr>`)}</tbody></table></div>
    ${page.rows.length === 0 ? html`<p>${t('grid.none')}</p>` : null}
    <p class="pager"><${Button} disabled=${at === 0} onClick=${() => setCursors(cursors.slice(0, -1))}>${t('grid.previous')}</${Button}>
      <span>${t('grid.page', { n: at + 1 })}</span>
      <${Button} disabled=${!page.next} onClick=${() => setCursors([...cursors, page.next])}>${t('grid.next')}</${Button}></p>
  </div>`}</${Answered}>`;
}

/** Buttons that save a table of a result. */
export function Downloads({ where, parameters, name }) {
  const [problem, setProblem] = useState(null);
  const save = (format) => download(where, { ...parameters, format, all: true }, `${name}.${format}`).catch(setProblem);
  return html`<p class="downloads">${['csv', 'parquet', 'ndjson'].map((format) =>
    html`<${Button} onClick=${() => save(format)}>${t('download', { format: format.toUpperCase() })}</${Button}>`)}</p>
    <${Failure} problem=${problem}/>`;
}

/** Hears of keys outside of fields: `keys` are `{key: function}`. It hears as soon as what it is about is on the page. */
export function useKeys(keys, inputs) {
  useLayoutEffect(() => {
    const hear = (event) => {
      const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName) || event.target.isContentEditable;
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
      event.preventDefault();
      keys[event.key]();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, inputs);
}
