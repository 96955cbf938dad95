// Judging: pairs one after the other, each answered by one key, without seeing what others said; then agreement.

import { html, useState } from '../vendor/preact.js';
import { get, path, post } from '../api.js';
import { number, percent, t } from '../i18n.js';
import { go } from '../router.js';
import { Answered, Bars, Button, Choice, CopyAs, Failure, Field, Name, tell, useAnswer, useKeys } from '../ui.js';

const ANSWERS = [['yes', 'y'], ['no', 'x'], ['unsure', 'u']];

export function Pools() {
  const [problem, setProblem] = useState(null);
  const [wanted, setWanted] = useState({ name: '', question: 'near-duplicate', results: '' });
  const set = (some) => setWanted((before) => ({ ...before, ...some }));
  const answer = useAnswer(async (signal) => {
    const [{ pools }, { results }] = await Promise.all([get('/pools', {}, signal), get('/results', { limit: 100 }, signal)]);
    return { pools, results };
  }, []);
  const make = (event) => {
    event.preventDefault();
    const results = wanted.results || String(answer.value.results[0]?.id ?? '');
    post('/pools', { name: wanted.name, question: wanted.question, results: results.split(',').map(Number) })
      .then((pool) => go(`/judge/${encodeURIComponent(pool.name)}`), setProblem);
  };
  return html`<h1 tabindex="-1">${t('page.judge')}</h1><p>${t('judge.about')}</p><${Failure} problem=${problem}/>
    <${Answered} answer=${answer}>${({ pools, results }) => html`<ul class="cards">${pools.map((pool) => html`<li class="card"><h2><a href=${`/judge/${encodeURIComponent(pool.name)}`}>${pool.name}</a></h2>
      <p>${t(`judge.sentence_${pool.question}`)}</p><p class="quiet">${t('judge.entries', { n: pool.entries })}</p></li>`)}</ul>
      <form class="card" onSubmit=${make}><h2>${t('judge.make')}</h2><div class="fields">
        <${Field} label=${t('column.name')} about=${t('judge.name_about')}><input required pattern="[a-z0-9][a-z0-9._\\-]*" value=${wanted.name} onInput=${(event) => set({ name: event.target.value })}/></${Field}>
        <${Choice} label=${t('judge.question')} value=${wanted.question} change=${(question) => set({ question })} options=${['near-duplicate', 'containment', 'partial'].map((name) => [name, t(`judge.question_${name}`)])}/>
        <${Choice} label=${t('start.results')} value=${wanted.results || String(results[0]?.id ?? '')} change=${(value) => set({ results: value })}
          options=${[...results.map((one) => [String(one.id), one.title || t('start.result', { n: one.id })]), ...(results.length > 1 ? [[results.map((one) => one.id).join(','), t('judge.all_results')]] : [])]}/></div>
        <${Button} type="submit" disabled=${results.length === 0}>${t('judge.make')}</${Button}></form>`}</${Answered}>
    <${CopyAs} command="retold pool found -o pool" request=${{ path: '/api/v1/pools' }}/>`;
}

function Agreement({ pool, round }) {
  const answer = useAnswer((signal) => get(path`/pools/${pool}/agreement`, {}, signal), [pool, round]);
  const kappa = (value) => (value === null || value === undefined ? t('judge.no_kappa') : number(value, 3));
  return html`<${Answered} answer=${answer}>${(told) => html`<section><h2>${t('judge.agreement')}</h2>
    <dl class="figures"><div><dt>${t('judge.decided')}</dt><dd>${number(told.decided)} / ${number(told.entries)}</dd></div>
      <div><dt>${t('judge.split')}</dt><dd>${number(told.split)}</dd></div>
      <div><dt>${t('judge.mean_kappa')}</dt><dd>${kappa(told.assessors?.mean_kappa)}</dd></div>
      <div><dt>${t('judge.alpha')}</dt><dd>${kappa(told.assessors?.alpha?.kappa)}</dd></div></dl>
    <${Bars} label=${t('judge.answers')} bins=${['yes', 'no', 'split', 'untouched'].map((name) => ({ text: t(`judge.${name}`), count: told[name] }))}/>
    ${told.assessors?.pairs?.length ? html`<div class="scroll" tabindex="0" role="region" aria-label=${t('judge.agreement')}><table><thead><tr><th scope="col">${t('judge.assessors')}</th><th scope="col">${t('judge.both')}</th>
      <th scope="col">${t('judge.observed')}</th><th scope="col">kappa</th></tr></thead><tbody>${told.assessors.pairs.map((pair) => html`<tr>
        <td><${Name}>${pair.first}</${Name}>, <${Name}>${pair.second}</${Name}></td><td class="number">${number(pair.cohen.n)}</td><td class="number">${percent(pair.cohen.observed)}</td><td class="number">${kappa(pair.cohen.kappa)}</td></tr>`)}</tbody></table></div>` : null}</section>`}</${Answered}>`;
}

export function Judge({ values, query }) {
  const { pool } = values;
  const [by, setBy] = useState(query.get('by') || sessionStorage.getItem('retold.assessor') || '');
  const [name, setName] = useState(by);
  const [round, setRound] = useState(0);
  const [problem, setProblem] = useState(null);
  const [done, setDone] = useState([]);
  const [shows, setShows] = useState(false);
  const next = useAnswer((signal) => (by ? get(path`/pools/${pool}/next`, { by }, signal) : Promise.resolve(false)), [pool, by, round]);
  const about = useAnswer(async (signal) => (await get('/pools', {}, signal)).pools.find((one) => one.name === pool), [pool]);
  const question = about.value ? t(`judge.sentence_${about.value.question}`) : next.value?.question;
  const now = next.value && next.value.a ? next.value : null;
  const last = done.at(-1);
  const [again, setAgain] = useState(null);
  const [isSaving, setSaving] = useState(false);
  const shownPair = again || now;
  // A key pressed before the next pair is on the screen would answer a pair that nobody has seen.
  const isReady = shownPair && !isSaving && !next.isBusy && (again || !done.some((one) => one.pair === now));
  const answerWith = async (answer) => {
    if (!isReady) return;
    const pair = shownPair;
    setSaving(true);
    try {
      await post(path`/pools/${pool}/judgements`, { a: pair.a.id, b: pair.b.id, answer, by });
      setAgain(null);
      setDone((before) => [...before.filter((one) => one.pair !== pair), { pair, answer }]);
      setProblem(null);
      tell(t('judge.said', { answer: t(`judge.${answer}`) }));
      setRound((n) => n + 1);
    } catch (error) { setProblem(error); }
    setSaving(false);
  };
  const undo = () => { if (last && !isSaving) { setAgain(last.pair); setDone(done.slice(0, -1)); } };
  useKeys({ y: () => answerWith('yes'), x: () => answerWith('no'), u: () => answerWith('unsure'), z: undo }, [shownPair, done, isReady, isSaving]);
  const enter = (event) => { event.preventDefault(); sessionStorage.setItem('retold.assessor', name.trim()); setBy(name.trim()); };
  return html`<p><a href="/judge">← ${t('page.judge')}</a></p><h1 tabindex="-1">${pool}</h1><${Failure} problem=${problem}/>
    ${!by ? html`<form class="card narrow" onSubmit=${enter}><${Field} label=${t('judge.who')} about=${t('judge.who_about')}><input required value=${name} onInput=${(event) => setName(event.target.value)}/></${Field}>
      <${Button} type="submit" kind="primary">${t('judge.begin')}</${Button}></form>` : html`
      <p class="row"><span>${t('judge.as', { name: by })}</span><${Button} kind="small" onClick=${() => { sessionStorage.removeItem('retold.assessor'); setBy(''); setDone([]); }}>${t('judge.other')}</${Button}></p>
      <${Answered} answer=${next}>${(told) => html`<p role="status">${t('judge.progress', { done: done.length, left: told.left })}</p>
        ${shownPair ? html`<p class="question" aria-busy=${!isReady}><strong>${question}</strong></p>
          <p class="row">${ANSWERS.map(([answer, key]) => html`<${Button} kind=${answer === 'yes' ? 'primary' : ''} disabled=${!isReady} onClick=${() => answerWith(answer)}>${t(`judge.${answer}`)} <kbd>${key}</kbd></${Button}>`)}
            <${Button} disabled=${!last || isSaving} onClick=${undo}>${t('judge.undo')} <kbd>z</kbd></${Button}></p>
          <div class="two">${['a', 'b'].map((side) => html`<section class="card" aria-label=${side}><h2>${side}: <${Name}>${shownPair[side].title || shownPair[side].id}</${Name}></h2><div class="text limited" tabindex="0" role="region" aria-label=${side}>${shownPair[side].text}</div></section>`)}</div>`
          : html`<p>${told.leased ? t('judge.leased', { n: told.leased }) : t('judge.over')}</p>
            ${told.leased ? html`<p><${Button} onClick=${next.again}>${t('again')}</${Button}></p>` : null}`}`}</${Answered}>`}
    <p class="row"><${Button} aria-expanded=${shows} onClick=${() => setShows(!shows)}>${t('judge.agreement')}</${Button}></p>
    ${shows ? html`<${Agreement} pool=${pool} round=${round}/>` : null}
    <${CopyAs} command=${`retold judge ${pool}`} request=${{ path: `/api/v1/pools/${encodeURIComponent(pool)}/agreement` }}/>`;
}
