// A result: distribution of shares, clusters, pairs, documents, what goes and what stays, decisions.

import { html, useMemo, useState } from '../vendor/preact.js';
import { download, get, path, post } from '../api.js';
import { has, number, percent, t, time } from '../i18n.js';
import { change } from '../router.js';
import { Answered, Bars, Button, CopyAs, Downloads, Failure, Field, Grid, Name, Share, Tabs, relation, tell, useAnswer } from '../ui.js';
import { Evaluation } from './evaluation.js';
import { Regroup } from './regroup.js';

const link = (result, cluster) => `/results/${result}/clusters/${cluster}`;

/** What each table shows. */
function columnsOf(table, result, { decide, chosen, choose, decided }) {
  const id = (name) => html`<${Name}>${name}</${Name}>`;
  const share = (name) => ({ name, text: t(`column.${name}`), sort: name, isNumber: true, cell: (row) => html`<${Share} value=${row[name]}/>` });
  const count = (name, sort = name) => ({ name, text: t(`column.${name}`), sort, isNumber: true, cell: (row) => number(row[name]) });
  const tables = {
    clusters: [
      { name: 'choose', text: t('cluster.choose'), cell: (row) => html`<input type="checkbox" aria-label=${t('cluster.choose_one', { name: t('results.cluster', { n: row.id }) })}
        checked=${chosen.has(row.id)} onChange=${() => choose(row.id)}/>` },
      { name: 'id', text: t('column.cluster'), kind: 'table-link', cell: (row, { number: n }) => html`<a href=${link(result, n)}>${t('results.cluster', { n: row.id })}</a> ${(decided.get(row.id) || []).map((kind) => html`<span class="tag">${t(`decide.${kind}`)}</span> `)}` },
      count('size'),
      { name: 'representative', text: t('column.representative'), kind: 'table-name', cell: (row) => id(row.representative) },
      { ...share('cohesion'), sort: 'cohesion' }, count('shared_words', 'shared'),
      { name: 'shared_text', text: t('column.shared_text'), cell: (row) => html`<span class="clip">${(row.shared_text || '').slice(0, 160)}</span>` }],
    pairs: [
      { name: 'pair', text: t('column.pair'), kind: 'table-link', cell: (row, { number: n }) => html`<a href=${`/results/${result}/pairs/${n}`}>${t('results.side')}</a>` },
      { name: 'a', text: t('column.a'), kind: 'table-name', cell: (row) => id(row.a) }, { name: 'b', text: t('column.b'), kind: 'table-name', cell: (row) => id(row.b) },
      { name: 'relation', text: t('column.relation'), cell: (row) => relation(row.relation) },
      { name: 'a_in_b', text: t('column.a_in_b'), isNumber: true, cell: (row) => html`<${Share} value=${row.a_in_b}/>` },
      { name: 'b_in_a', text: t('column.b_in_a'), isNumber: true, cell: (row) => html`<${Share} value=${row.b_in_a}/>` },
      share('resemblance')],
    documents: [
      { name: 'id', text: t('column.document'), kind: 'table-name', cell: (row) => id(row.id) },
      { name: 'verdict', text: t('column.verdict'), cell: (row) => (has(`verdict.${row.verdict}`) ? t(`verdict.${row.verdict}`) : row.verdict) },
      { name: 'cluster', text: t('column.cluster'), kind: 'table-link', cell: (row) => (row.cluster === undefined ? '' : html`<a href=${link(result, row.cluster)}>${t('results.cluster', { n: row.cluster })}</a>`) },
      count('n_words', 'words'), { name: 'source', text: t('column.source'), cell: (row) => id(row.source) },
      { name: 'time', text: t('column.time'), sort: 'time', kind: 'table-link', cell: (row) => time(row.time) }],
  };
  const gone = [
    { name: 'id', text: t('column.document'), kind: 'table-name', cell: (row) => id(row.id) },
    { name: 'covered_by', text: t('column.covered_by'), kind: 'table-name', cell: (row) => id(row.covered_by) },
    { name: 'relation', text: t('column.relation'), cell: (row) => relation(row.relation) },
    { ...share('covered'), sort: 'share' }, count('words'),
    { name: 'decide', text: t('column.decide'), cell: (row) => html`<span class="row">
      <${Button} kind="small" onClick=${() => decide('keep', row.id)}>${t('decide.keep')}</${Button}>
      <${Button} kind="small" onClick=${() => decide('remove', row.id)}>${t('decide.remove')}</${Button}></span>` }];
  return tables[table] || gone;
}

/** Facets that are shares; their stretches are told in percent. */
const SHARES = ['in', 'share', 'resemblance', 'cohesion'];
const stretch = (value) => value.split('..').map((x) => percent(Number(x))).join(' – ');

function Facets({ result, table, filter, setFilter }) {
  const answer = useAnswer((signal) => get(path`/results/${result}/facets`, { table, filter }, signal), [result, table, filter]);
  // Terms have blanks between them, except those in quotes.
  const terms = filter.match(/(?:[^\s"]|"(?:\\.|[^"\\])*")+/g) || [];
  const toggle = (term) => setFilter((terms.includes(term) ? terms.filter((one) => one !== term) : [...terms, term]).join(' '));
  return html`<${Answered} answer=${answer}>${({ facets }) => html`<div class="facets">${facets
    .filter((facet) => facet.bins.length > 0).map((facet) => html`<${Bars} label=${has(`facet.${facet.name}`) ? t(`facet.${facet.name}`) : facet.name}
      bins=${facet.bins.map((bin) => ({ text: SHARES.includes(facet.name) ? stretch(bin.value) : has(`${facet.name}.${bin.value}`) ? t(`${facet.name}.${bin.value}`) : bin.value, count: bin.count, term: bin.term }))}
      choose=${(bin) => toggle(bin.term)} chosen=${(bin) => terms.includes(bin.term)}/>`)}</div>`}</${Answered}>`;
}

/** What people decided about clusters and still holds: kinds of decisions by cluster. */
function useDecided(result, round) {
  const answer = useAnswer((signal) => get(path`/results/${result}/decisions`, { standing: true, limit: 1000 }, signal), [result, round]);
  return useMemo(() => {
    const decided = new Map();
    for (const { kind, clusters } of answer.value?.decisions || []) {
      for (const cluster of clusters) decided.set(cluster, [...new Set([...(decided.get(cluster) || []), kind])]);
    }
    return decided;
  }, [answer.value]);
}

function Decisions({ result, round, again }) {
  const [problem, setProblem] = useState(null);
  const save = () => download(path`/results/${result}/grouped`, {}, `clusters-${result}.jsonl`).catch(setProblem);
  const answer = useAnswer((signal) => get(path`/results/${result}/decisions`, { limit: 200 }, signal), [result, round]);
  const undo = (number) => post(path`/results/${result}/decisions`, { kind: 'undo', of: number }).then(() => { tell(t('decide.undone')); again(); }, setProblem);
  return html`<${Failure} problem=${problem}/><${Answered} answer=${answer}>${({ decisions }) => (decisions.length === 0 ? html`<p>${t('decide.none')}</p>`
    : html`<ol class="decisions">${decisions.map((decision) => html`<li key=${decision.number}>
      <strong>${t(`decide.${decision.kind}`)}</strong> ${decision.documents.map((id) => html`<${Name}>${id}</${Name}> `)}
      ${decision.clusters.length ? t('decide.clusters', { list: decision.clusters.join(', ') }) : null}
      ${decision.kind === 'undo' ? t('decide.of', { n: decision.of }) : null}
      <span class="quiet"> ${decision.by} · ${time(decision.time)} ${decision.reason}</span>
      ${decision.undone_by ? html` <span class="tag">${t('decide.was_undone', { n: decision.undone_by })}</span>` : null}
      ${decision.kind !== 'undo' && !decision.undone_by ? html` <${Button} kind="small" onClick=${() => undo(decision.number)}>${t('decide.undo_this')}</${Button}>` : null}
      </li>`)}</ol><p class="quiet">${t('decide.grouped_about')}</p><p><${Button} onClick=${save}>${t('decide.grouped')}</${Button}></p>`)}</${Answered}>`;
}

/** What stays and goes, with the decisions of people, and the clean set to take away. */
function Kept({ result, round }) {
  const [problem, setProblem] = useState(null);
  const answer = useAnswer((signal) => get(path`/results/${result}/kept`, {}, signal), [result, round]);
  const save = (format, ending) => download(path`/results/${result}/clean`, { format }, `clean-${result}.${ending}`).catch(setProblem);
  return html`<section class="card"><h2>${t('results.clean')}</h2><${Answered} answer=${answer}>${(kept) => html`
    <p>${t('results.kept', { kept: kept.kept, documents: kept.documents, removed: kept.removed, review: kept.review })}
      ${kept.changed_by_decisions ? t('results.changed', { n: kept.changed_by_decisions }) : null}</p>`}</${Answered}>
    <p class="row"><${Button} kind="primary" onClick=${() => save('ndjson', 'jsonl')}>${t('results.take')}</${Button}><${Button} onClick=${() => save('csv', 'csv')}>${t('download', { format: 'CSV' })}</${Button}></p>
    <${Failure} problem=${problem}/></section>`;
}

export function Results({ values, query }) {
  const result = values.result;
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState(null);
  const about = useAnswer((signal) => get(path`/results/${result}`, {}, signal), [result]);
  const spread = useAnswer((signal) => get(path`/results/${result}/facets`, { table: 'pairs' }, signal), [result]);
  const filter = query.get('filter') || '';
  const [typed, setTyped] = useState(filter);
  const setFilter = (text) => { setTyped(text); change({ filter: text }); };
  const [chosen, setChosen] = useState(new Set());
  const decided = useDecided(result, round);
  const choose = (id) => setChosen((before) => { const after = new Set(before); if (!after.delete(id)) after.add(id); return after; });
  const noted = (body) => post(path`/results/${result}/decisions`, body)
    .then(() => { tell(t('decide.done')); setProblem(null); setChosen(new Set()); setRound((n) => n + 1); }, setProblem);
  const decide = (kind, document) => noted({ kind, documents: [document] });
  return html`<${Answered} answer=${about}>${(job) => {
    const isDedup = job.has_decisions;
    const tables = ['clusters', 'pairs', 'documents', ...(isDedup ? ['removed', 'review'] : []), 'decisions', 'regroup', 'evaluation'];
    const table = tables.includes(query.get('table')) ? query.get('table') : 'clusters';
    const sort = query.get('sort') || { clusters: '-size', removed: 'share', review: 'share' }[table] || '';
    const summary = job.counts || {};
    const shares = spread.value?.facets.find((facet) => facet.name === 'in');
    return html`<h1 tabindex="-1">${job.title || t('start.result', { n: job.id })}</h1>
      <p class="quiet">${t(`kind.${job.kind}`)} · ${job.settings?.method} · ${time(job.ended)}</p>
      <dl class="figures">${['documents', 'pairs', 'clusters', 'removed', 'review', 'bad_records'].filter((name) => summary[name] !== undefined && summary[name] !== null)
        .map((name) => html`<div><dt>${t(`column.${name}`)}</dt><dd>${number(summary[name])}</dd></div>`)}</dl>
      ${shares ? html`<section class="card"><h2>${t('results.spread')}</h2><p class="quiet">${t('results.spread_about')}</p>
        <${Bars} label=${t('results.share_of_pairs')} bins=${shares.bins.map((bin) => ({ text: stretch(bin.value), count: bin.count, term: bin.term }))}
          choose=${(bin) => { setTyped(bin.term); change({ table: 'pairs', filter: bin.term, sort: '' }, {}); }}/></section>` : null}
      <${Failure} problem=${problem}/>
      ${isDedup ? html`<${Kept} result=${result} round=${round}/>` : null}
      <${Tabs} label=${t('results.tables')} tabs=${tables.map((name) => [name, t(`table.${name}`)])} chosen=${table}
        choose=${(name) => { setTyped(''); change({ table: name, sort: '', filter: '' }); }}/>
      ${table === 'decisions' ? html`<${Decisions} result=${result} round=${round} again=${() => setRound(round + 1)}/>` : null}
      ${table === 'regroup' ? html`<${Regroup} result=${result} told=${job}/>` : null}
      ${table === 'evaluation' ? html`<${Evaluation} result=${result}/>` : null}
      ${['decisions', 'regroup', 'evaluation'].includes(table) ? null : html`
        ${isDedup && (table === 'removed' || table === 'review') ? html`<p>${t(`results.${table}_about`)}</p>` : null}
        <form class="row" role="search" onSubmit=${(event) => { event.preventDefault(); setFilter(typed.trim()); }}>
          <${Field} label=${t('results.filter')} about=${t('results.filter_about')}><input type="search" value=${typed} size="40" spellcheck="false"
            onInput=${(event) => setTyped(event.target.value)}/></${Field}><${Button} type="submit">${t('results.apply')}</${Button}>
          ${filter ? html`<${Button} onClick=${() => setFilter('')}>${t('results.clear')}</${Button}>` : null}</form>
        <${Facets} key=${`facets-${table}`} result=${result} table=${table} filter=${filter} setFilter=${setFilter}/>
        <${Grid} key=${table} where=${path`/results/${result}/${table}`} columns=${columnsOf(table, result, { decide, chosen, choose, decided })} sort=${sort} filter=${filter}
          changeSort=${(to) => change({ sort: to })} label=${t(`table.${table}`)} round=${round}/>
        ${table === 'clusters' ? html`<p class="row"><${Button} disabled=${chosen.size < 2} onClick=${() => noted({ kind: 'merge', clusters: [...chosen] })}>${t('decide.merge_chosen')}</${Button}>
          <span class="quiet">${chosen.size ? t('decide.chosen', { list: [...chosen].join(', ') }) : t('decide.merge_about')}</span></p>` : null}
        <${Downloads} where=${path`/results/${result}/${table}`} parameters=${{ filter, sort }} name=${`result-${result}-${table}`}/>`}
      <${CopyAs} command=${`retold ${isDedup ? 'dedup' : 'find'} ${job.input?.path || 'COLLECTION.idx'} --method ${job.settings?.method || 'anchor'} -o found`}
        request=${{ path: `/api/v1/results/${result}/${table}?${new URLSearchParams(filter ? { filter, sort } : { sort })}` }}/>`;
  }}</${Answered}>`;
}
