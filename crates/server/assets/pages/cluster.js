// One cluster: who printed first, the tree of versions, the text all share, differences, neighbours outside.

import { html, useState } from '../vendor/preact.js';
import { address, get, path, post, send } from '../api.js';
import { number, percent, t, time } from '../i18n.js';
import { shown } from '../settings.js';
import { Answered, Button, CopyAs, Failure, Field, Name, Share, relation, tell, useAnswer } from '../ui.js';

/** Members from which relations are shown as a matrix and not as a tree. */
const MANY = 50;
/** Members of a matrix, and pairs that are fetched for it. */
const MOST_IN_MATRIX = 120;
const MOST_PAIRS = 8000;

/** Dots on a line of time, one for each member. */
function Timeline({ members }) {
  const dated = members.map(({ row }) => ({ row, at: Date.parse(row.time) })).filter(({ at }) => !Number.isNaN(at)).sort((x, y) => x.at - y.at);
  if (dated.length < 2) return null;
  const [first, last] = [dated[0].at, dated.at(-1).at];
  const x = (at) => 20 + 560 * (last > first ? (at - first) / (last - first) : 0.5);
  return html`<section><h2>${t('cluster.timeline')}</h2>
    <p>${t('cluster.first', { name: shown(dated[0].row.id), time: time(dated[0].row.time) })}</p>
    <svg class="timeline" viewBox="0 0 600 60" role="img" aria-label=${t('cluster.timeline')}>
      <line x1="20" x2="580" y1="30" y2="30"/>${dated.map(({ row, at }, n) => html`<circle cx=${x(at)} cy="30" r=${n ? 5 : 8} class=${n ? '' : 'first'}>
        <title>${shown(row.id)} · ${time(row.time)}</title></circle>`)}
      <text x="20" y="55">${time(dated[0].row.time)}</text><text x="580" y="55" text-anchor="end">${time(dated.at(-1).row.time)}</text></svg></section>`;
}

/** The tree of versions as the server draws it; an image runs no script. */
function Lineage({ result, cluster, told }) {
  const drawing = useAnswer(async (signal) => {
    const response = await send('GET', address(path`/results/${result}/clusters/${cluster}/lineage`, { format: 'svg' }), { signal });
    return `data:image/svg+xml,${encodeURIComponent(await response.text())}`;
  }, [result, cluster]);
  const titles = new Map(told.documents.map((document) => [document.id, document.title]));
  return html`<section><h2>${t('cluster.lineage')}</h2>
    ${told.is_complete ? null : html`<p>${t('cluster.left_out', { n: told.n_left_out })}</p>`}
    <${Answered} answer=${drawing}>${(image) => html`<div class="scroll" tabindex="0" role="region" aria-label=${t('cluster.lineage')}>
      <img class="drawing" src=${image} alt=${t('cluster.lineage_alt', { n: told.documents.length })}/></div>`}</${Answered}>
    <ol class="changes">${told.steps.map((step) => html`<li><p><${Name}>${step.parent}</${Name}> → <${Name}>${step.child}</${Name}> <span class="quiet">${titles.get(step.child) || ''} · ${t('cluster.sure', { share: percent(step.confidence) })}</span></p>
      <p>${step.dropped.map((piece) => html`<del>${piece.text}</del> `)}${step.added.map((piece) => html`<ins>${piece.text}</ins> `)}
      ${step.n_cut ? html`<span class="quiet">${t('cluster.more_changes', { n: step.n_cut })}</span>` : null}
      ${step.n_added + step.n_dropped === 0 ? html`<span class="quiet">${t('cluster.no_change')}</span>` : null}</p></li>`)}</ol></section>`;
}

/** Shares between members; the table stays readable where a graph would not. Only pairs that were compared have a number. */
function Matrix({ members, pairs, total, isWhole }) {
  const ids = members.map(({ row }) => row.id).slice(0, MOST_IN_MATRIX);
  const shares = new Map();
  for (const { row } of pairs) {
    shares.set(`${row.a}\n${row.b}`, row.a_in_b);
    shares.set(`${row.b}\n${row.a}`, row.b_in_a);
  }
  const level = (share) => (share === undefined ? '' : `level-${Math.min(9, Math.floor(share * 10))}`);
  return html`<section><h2>${t('cluster.matrix')}</h2><p class="quiet">${t('cluster.matrix_about')}
      ${total > ids.length ? t('cluster.matrix_cut', { n: ids.length, total }) : ''} ${isWhole ? '' : t('cluster.matrix_pairs')}</p>
    <div class="scroll limited" tabindex="0" role="region" aria-label=${t('cluster.matrix')}><table class="matrix"><thead><tr><td></td>${ids.map((id, n) => html`<th scope="col" title=${shown(id)}>${n + 1}</th>`)}</tr></thead><tbody>
    ${ids.map((a, n) => html`<tr key=${a}><th scope="row" title=${shown(a)}>${n + 1}. <${Name}>${a}</${Name}></th>${ids.map((b) => {
      const share = a === b ? undefined : shares.get(`${a}\n${b}`);
      return html`<td class=${a === b ? 'self' : level(share)}>${share === undefined ? '' : Math.round(share * 100)}</td>`;
    })}</tr>`)}</tbody></table></div></section>`;
}

/** Why a document that is near is outside. */
const outside = (one) => t(`outside.${one.reason}`, { clusters: one.clusters.join(', '), n: one.related });

/** What people decided about this cluster and still holds. */
function Decided({ decisions, result, undo }) {
  if (decisions.length === 0) return null;
  return html`<section><h2>${t('table.decisions')}</h2><ul class="decisions">${decisions.map((decision) => html`<li key=${decision.number}><strong>${t(`decide.${decision.kind}`)}</strong>
    ${decision.kind === 'merge' ? decision.clusters.map((n) => html` <a href=${`/results/${result}/clusters/${n}`}>${t('results.cluster', { n })}</a>`) : decision.documents.map((id) => html` <${Name}>${id}</${Name}>`)}
    <span class="quiet"> ${decision.by} · ${time(decision.time)}</span> <${Button} kind="small" onClick=${() => undo(decision.number)}>${t('decide.undo_this')}</${Button}></li>`)}</ul></section>`;
}

/** All pairs of a cluster, as far as a matrix or a list needs them. */
async function pairsOf(result, cluster, most, signal) {
  const rows = [];
  let after;
  do {
    const page = await get(path`/results/${result}/pairs`, { filter: `cluster:${cluster}`, limit: Math.min(1000, most), after }, signal);
    rows.push(...page.rows);
    after = page.next;
  } while (after && rows.length < most);
  return { rows, isWhole: !after };
}

export function Cluster({ values }) {
  const { result, cluster } = values;
  const [problem, setProblem] = useState(null);
  const [chosen, setChosen] = useState(new Set());
  const [other, setOther] = useState('');
  const at = path`/results/${result}/clusters/${cluster}`;
  const answer = useAnswer((signal) => get(at, {}, signal), [at]);
  const near = useAnswer(async (signal) => (await get(`${at}/neighbours`, { limit: 20 }, signal)).neighbours, [at]);
  // What takes longer in a large result comes behind.
  const size = answer.value?.members_total;
  const more = useAnswer(async (signal) => {
    if (size === undefined) return null;
    const [pairs, lineage] = await Promise.all([pairsOf(result, cluster, size > MANY ? MOST_PAIRS : 1000, signal),
      size > MANY ? null : get(`${at}/lineage`, { format: 'json' }, signal).catch(() => null)]);
    return { pairs, lineage };
  }, [at, size]);
  const standing = useAnswer(async (signal) => (await get(path`/results/${result}/decisions`, { standing: true, cluster, limit: 200 }, signal)).decisions, [result, cluster]);
  const decide = (body, text = t('decide.done')) => post(path`/results/${result}/decisions`, body)
    .then(() => { setProblem(null); setChosen(new Set()); setOther(''); tell(text); standing.again(); }, setProblem);
  const undo = (n) => decide({ kind: 'undo', of: n }, t('decide.undone'));
  const merge = (with_) => decide({ kind: 'merge', clusters: [Number(cluster), Number(with_)] });
  const choose = (id) => setChosen((before) => { const after = new Set(before); if (!after.delete(id)) after.add(id); return after; });
  return html`<${Answered} answer=${answer}>${({ cluster: { row }, members, members_total: total }) => {
    // In the order of the table, whatever the order of clicks.
    const ids = members.map(({ row: member }) => member.id).filter((id) => chosen.has(id));
    const listed = total > MANY ? 20 : 100;
    return html`<p><a href=${`/results/${result}`}>← ${t('start.result', { n: result })}</a></p>
    <h1 tabindex="-1">${t('results.cluster', { n: row.id })}</h1>
    <dl class="figures"><div><dt>${t('column.size')}</dt><dd>${number(row.size)}</dd></div>
      <div><dt>${t('column.cohesion')}</dt><dd>${percent(row.cohesion, 1)}</dd></div><div><dt>${t('column.shared_words')}</dt><dd>${number(row.shared_words)}</dd></div></dl>
    <${Timeline} members=${members}/>
    ${row.shared_text ? html`<section><h2>${t('cluster.shared')}</h2><blockquote class="text card limited" tabindex="0">${row.shared_text}</blockquote></section>` : null}
    <section><h2>${t('cluster.members')}</h2><${Failure} problem=${problem}/>
      ${total > members.length ? html`<p>${t('grid.count', { matching: members.length, total })}</p>` : null}
      <div class="scroll limited" tabindex="0" role="region" aria-label=${t('cluster.members')}><table><thead><tr><th scope="col">${t('cluster.choose')}</th>
        ${['document', 'verdict', 'words', 'source', 'time'].map((name) => html`<th scope="col">${t(`column.${name}`)}</th>`)}</tr></thead>
        <tbody>${members.map(({ row: member }) => html`<tr key=${member.id}><td><input type="checkbox" aria-label=${t('cluster.choose_one', { name: shown(member.id) })}
          checked=${chosen.has(member.id)} onChange=${() => choose(member.id)}/></td><td><${Name}>${member.id}</${Name}></td><td>${t(`verdict.${member.verdict}`)}</td>
          <td class="number">${number(member.n_words)}</td><td><${Name}>${member.source}</${Name}></td><td class="table-link">${time(member.time)}</td></tr>`)}</tbody></table></div>
      <p class="row"><${Button} disabled=${ids.length === 0} onClick=${() => decide({ kind: 'leave-out', clusters: [Number(cluster)], documents: ids })}>${t('cluster.leave_out')}</${Button}>
        <${Button} disabled=${ids.length === 0} onClick=${() => decide({ kind: 'split', clusters: [Number(cluster)], documents: ids })}>${t('cluster.split')}</${Button}>
        <${Button} onClick=${() => decide({ kind: 'confirm', clusters: [Number(cluster)] })}>${t('cluster.confirm')}</${Button}></p>
      <form class="row" onSubmit=${(event) => { event.preventDefault(); merge(other); }}><${Field} label=${t('cluster.merge_with')}>
        <input required type="number" min="0" step="1" value=${other} onInput=${(event) => setOther(event.target.value)}/></${Field}>
        <${Button} type="submit" disabled=${other === '' || other === cluster}>${t('cluster.merge')}</${Button}>
        <a href=${`/results/${result}?table=decisions`}>${t('cluster.log')}</a></form></section>
    <${Decided} decisions=${standing.value || []} result=${result} undo=${undo}/>
    <${Answered} answer=${more}>${({ pairs, lineage }) => html`${lineage ? html`<${Lineage} result=${result} cluster=${cluster} told=${lineage}/>` : null}
    ${total > MANY ? html`<${Matrix} members=${members} pairs=${pairs.rows} total=${total} isWhole=${pairs.isWhole}/>` : null}
    <section><h2>${t('cluster.pairs')}</h2><ul>${pairs.rows.slice(0, listed).map(({ number: n, row: pair }) => html`<li key=${n}><a href=${`/results/${result}/pairs/${n}`}>
      <${Name}>${pair.a}</${Name}> · <${Name}>${pair.b}</${Name}></a> ${relation(pair.relation)} <${Share} value=${Math.max(pair.a_in_b, pair.b_in_a)}/></li>`)}</ul>
      ${pairs.rows.length > listed || !pairs.isWhole ? html`<p><a href=${`/results/${result}?table=pairs&filter=cluster:${cluster}`}>${t('cluster.all_pairs')}</a></p>` : null}</section>`}</${Answered}>
    <section><h2>${t('cluster.neighbours')}</h2><${Answered} answer=${near}>${(neighbours) => (neighbours.length === 0 ? html`<p>${t('cluster.no_neighbours')}</p>` : html`<ul>${neighbours.map((one) => html`<li>
      <a href=${`/results/${result}/pairs/${one.pair.number}`}><${Name}>${one.outside}</${Name}></a> – ${outside(one)} <span class="quiet">${relation(one.pair.row.relation)}, ${percent(Math.max(one.pair.row.a_in_b, one.pair.row.b_in_a))}</span>
      ${one.clusters.map((n) => html` <a href=${`/results/${result}/clusters/${n}`}>${t('results.cluster', { n })}</a> <${Button} kind="small" onClick=${() => merge(n)}>${t('cluster.merge')}</${Button}>`)}</li>`)}</ul>`)}</${Answered}></section>
    <${CopyAs} command=${`retold lineage found --cluster ${row.id} -o tree.svg`} request=${{ path: `/api/v1/results/${result}/clusters/${cluster}` }}/>`;
  }}</${Answered}>`;
}
