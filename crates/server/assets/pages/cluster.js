// One cluster: who printed first, the tree of versions, the text all share, differences, neighbours outside.

import { html, useState } from '../vendor/preact.js';
import { address, get, path, post, send } from '../api.js';
import { number, percent, t, time } from '../i18n.js';
import { shown } from '../settings.js';
import { Answered, Button, CopyAs, Failure, Name, Share, relation, tell, useAnswer } from '../ui.js';

/** Members from which relations are shown as a matrix and not as a tree. */
const MANY = 50;

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
    <ol class="changes">${told.steps.map((step) => html`<li><p><${Name}>${step.parent}</${Name}> → <${Name}>${step.child}</${Name}>
      <span class="quiet">${titles.get(step.child) || ''} · ${t('cluster.sure', { share: percent(step.confidence) })}</span></p>
      <p>${step.dropped.map((piece) => html`<del>${piece.text}</del> `)}${step.added.map((piece) => html`<ins>${piece.text}</ins> `)}
      ${step.n_cut ? html`<span class="quiet">${t('cluster.more_changes', { n: step.n_cut })}</span>` : null}
      ${step.n_added + step.n_dropped === 0 ? html`<span class="quiet">${t('cluster.no_change')}</span>` : null}</p></li>`)}</ol></section>`;
}

/** Shares between all members; the table stays readable where a graph would not. */
function Matrix({ members, pairs }) {
  const ids = members.map(({ row }) => row.id).slice(0, 200);
  const shares = new Map();
  for (const { row } of pairs) {
    shares.set(`${row.a}\n${row.b}`, row.a_in_b);
    shares.set(`${row.b}\n${row.a}`, row.b_in_a);
  }
  const level = (share) => (share === undefined ? '' : `level-${Math.min(9, Math.floor(share * 10))}`);
  return html`<section><h2>${t('cluster.matrix')}</h2><p class="quiet">${t('cluster.matrix_about')}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t('cluster.matrix')}><table class="matrix"><tbody>
    ${ids.map((a) => html`<tr><th scope="row"><${Name}>${a}</${Name}></th>${ids.map((b) => {
      const share = a === b ? 1 : shares.get(`${a}\n${b}`);
      return html`<td class=${level(share)} title=${`${shown(a)} → ${shown(b)}`}>${share === undefined ? '' : Math.round(share * 100)}</td>`;
    })}</tr>`)}</tbody></table></div></section>`;
}

export function Cluster({ values }) {
  const { result, cluster } = values;
  const [problem, setProblem] = useState(null);
  const [chosen, setChosen] = useState(new Set());
  const answer = useAnswer(async (signal) => {
    const at = path`/results/${result}/clusters/${cluster}`;
    const [told, neighbours, pairs] = await Promise.all([get(at, {}, signal), get(`${at}/neighbours`, { limit: 20 }, signal),
      get(path`/results/${result}/pairs`, { filter: `cluster:${cluster}`, limit: 1000 }, signal).catch(() => ({ rows: [] }))]);
    const lineage = told.members_total <= MANY ? await get(`${at}/lineage`, { format: 'json' }, signal).catch(() => null) : null;
    return { ...told, neighbours: neighbours.neighbours, pairs: pairs.rows, lineage };
  }, [result, cluster]);
  const decide = (body) => post(path`/results/${result}/decisions`, body).then(() => { setProblem(null); setChosen(new Set()); tell(t('decide.done')); }, setProblem);
  const choose = (id) => setChosen((before) => { const after = new Set(before); if (!after.delete(id)) after.add(id); return after; });
  return html`<${Answered} answer=${answer}>${({ cluster: { row }, members, members_total: total, neighbours, pairs, lineage }) => html`
    <p><a href=${`/results/${result}`}>← ${t('start.result', { n: result })}</a></p>
    <h1 tabindex="-1">${t('results.cluster', { n: row.id })}</h1>
    <dl class="figures"><div><dt>${t('column.size')}</dt><dd>${number(row.size)}</dd></div>
      <div><dt>${t('column.cohesion')}</dt><dd>${percent(row.cohesion, 1)}</dd></div><div><dt>${t('column.shared_words')}</dt><dd>${number(row.shared_words)}</dd></div></dl>
    <${Timeline} members=${members}/>
    ${row.shared_text ? html`<section><h2>${t('cluster.shared')}</h2><blockquote class="text card">${row.shared_text}</blockquote></section>` : null}
    <section><h2>${t('cluster.members')}</h2><${Failure} problem=${problem}/>
      ${total > members.length ? html`<p>${t('grid.count', { matching: members.length, total })}</p>` : null}
      <div class="scroll" tabindex="0" role="region" aria-label=${t('cluster.members')}><table><thead><tr><th scope="col">${t('cluster.choose')}</th>
        ${['document', 'verdict', 'words', 'source', 'time'].map((name) => html`<th scope="col">${t(`column.${name}`)}</th>`)}</tr></thead>
        <tbody>${members.map(({ row: member }) => html`<tr key=${member.id}><td><input type="checkbox" aria-label=${t('cluster.choose_one', { name: shown(member.id) })}
          checked=${chosen.has(member.id)} onChange=${() => choose(member.id)}/></td><td><${Name}>${member.id}</${Name}></td><td>${t(`verdict.${member.verdict}`)}</td>
          <td class="number">${number(member.n_words)}</td><td><${Name}>${member.source}</${Name}></td><td>${time(member.time)}</td></tr>`)}</tbody></table></div>
      <p class="row"><${Button} disabled=${chosen.size === 0} onClick=${() => decide({ kind: 'leave-out', clusters: [Number(cluster)], documents: [...chosen] })}>${t('cluster.leave_out')}</${Button}>
        <${Button} disabled=${chosen.size === 0} onClick=${() => decide({ kind: 'split', clusters: [Number(cluster)], documents: [...chosen] })}>${t('cluster.split')}</${Button}>
        <${Button} onClick=${() => decide({ kind: 'confirm', clusters: [Number(cluster)] })}>${t('cluster.confirm')}</${Button}>
        <a href=${`/results/${result}?table=decisions`}>${t('table.decisions')}</a></p></section>
    ${lineage ? html`<${Lineage} result=${result} cluster=${cluster} told=${lineage}/>` : null}
    ${total > MANY ? html`<${Matrix} members=${members} pairs=${pairs}/>` : null}
    <section><h2>${t('cluster.pairs')}</h2><ul>${pairs.slice(0, 100).map(({ number: n, row: pair }) => html`<li><a href=${`/results/${result}/pairs/${n}`}>
      <${Name}>${pair.a}</${Name}> · <${Name}>${pair.b}</${Name}></a> ${relation(pair.relation)} <${Share} value=${Math.max(pair.a_in_b, pair.b_in_a)}/></li>`)}</ul></section>
    <section><h2>${t('cluster.neighbours')}</h2>${neighbours.length === 0 ? html`<p>${t('cluster.no_neighbours')}</p>` : html`<ul>${neighbours.map((one) => html`<li>
      <a href=${`/results/${result}/pairs/${one.pair.number}`}><${Name}>${one.outside}</${Name}></a> – ${one.detail}</li>`)}</ul>`}</section>
    <${CopyAs} command=${`retold lineage found --cluster ${row.id} -o tree.svg`} request=${{ path: `/api/v1/results/${result}/clusters/${cluster}` }}/>`}</${Answered}>`;
}
