// Notices: where watched documents were copied, and which documents are watched.

import { html, useState } from '../vendor/preact.js';
import { get, path, post, put, remove } from '../api.js';
import { percent, t, time } from '../i18n.js';
import { Answered, Button, Choice, CopyAs, Failure, Field, Name, largest, relation, tell, useAnswer } from '../ui.js';
import { SideBySide } from './side.js';

/** Passages whose places are bytes of UTF-8, with places as strings of JavaScript count. */
function counted(passages, a, b) {
  const of = (text) => { const bytes = new TextEncoder().encode(text); return (at) => new TextDecoder().decode(bytes.subarray(0, at)).length; };
  const [inA, inB] = [of(a), of(b)];
  return passages.map((one) => ({ ...one, a: one.a.map(inA), b: one.b.map(inB) }));
}

/** One notice: what was posted, what it was copied from, and both side by side. */
function Notice({ notice, mark }) {
  const [open, setOpen] = useState(null);
  const [problem, setProblem] = useState(null);
  const { matched } = notice;
  const show = async () => {
    const [a, b] = await Promise.all([get(path`/collections/${notice.posted_to}/documents/${notice.posted}`), get(path`/collections/${notice.collection}/documents/${matched.id}`)]);
    setOpen({ a, b, passages: counted(matched.evidence || [], a.text, b.text) });
  };
  return html`<li class="card"><h2>${notice.is_read ? null : html`<span class="tag">${t('notices.new')}</span> `}<${Name}>${notice.posted_title || notice.posted}</${Name}></h2>
    <p>${t('notices.posted', { collection: notice.posted_to })} <span class="quiet">${time(new Date(notice.time * 1000).toISOString())}</span></p>
    <p><${Name}>${matched.title || matched.id}</${Name}> <span class="quiet">${relation(matched.relation)}, ${t('notices.share', { share: percent(matched.of_text ?? matched.a_in_b) })}</span></p>
    <p class="row"><${Button} kind="small" onClick=${() => mark(notice)}>${t(notice.is_read ? 'notices.mark_unread' : 'notices.mark_read')}</${Button}>
      <${Button} kind="small" aria-expanded=${Boolean(open)} onClick=${() => (open ? setOpen(null) : show().catch(setProblem))}>${t('check.side')}</${Button}></p>
    <${Failure} problem=${problem}/>${open ? html`<${SideBySide} a=${open.a} b=${open.b} passages=${open.passages}/>` : null}</li>`;
}

export function Notices() {
  const [problem, setProblem] = useState(null);
  const [isUnread, setUnread] = useState(false);
  const [wanted, setWanted] = useState({ collection: '', name: '', documents: '', webhook: '' });
  const set = (some) => setWanted((before) => ({ ...before, ...some }));
  const answer = useAnswer(async (signal) => {
    const [{ notices }, { collections }] = await Promise.all([get('/notices', { unread: isUnread || undefined, limit: 200 }, signal), get('/collections', {}, signal)]);
    const watches = (await Promise.all(collections.map((one) => get(path`/collections/${one.name}/watches`, {}, signal)))).flatMap((one) => one.watches);
    return { notices, collections, watches };
  }, [isUnread]);
  const done = (text) => () => { setProblem(null); tell(text); answer.again(); };
  const mark = (notice) => put(path`/notices/${notice.number}`, { is_read: !notice.is_read }).then(done(t('notices.marked')), setProblem);
  const watch = (event) => {
    event.preventDefault();
    const collection = wanted.collection || largest(answer.value.collections);
    const documents = wanted.documents.split(',').map((one) => one.trim()).filter(Boolean);
    post(path`/collections/${collection}/watches`, { name: wanted.name, ...(documents.length ? { documents } : {}), ...(wanted.webhook ? { webhook: wanted.webhook } : {}) })
      .then(done(t('notices.watching')), setProblem);
  };
  return html`<h1 tabindex="-1">${t('page.notices')}</h1><p>${t('about.notices')}</p><${Failure} problem=${problem}/>
    <p class="row"><label class="field check"><input type="checkbox" checked=${isUnread} onChange=${(event) => setUnread(event.target.checked)}/><span>${t('notices.unread')}</span></label>
      <a href="/api/v1/notices/feed.atom">Atom</a> <a href="/api/v1/notices/feed.json">JSON Feed</a></p>
    <${Answered} answer=${answer}>${({ notices, collections, watches }) => html`
      ${notices.length === 0 ? html`<p>${t('notices.none')}</p>` : html`<ul class="hits">${notices.map((notice) => html`<${Notice} key=${notice.number} notice=${notice} mark=${mark}/>`)}</ul>`}
      <h2>${t('notices.watches')}</h2>
      <ul>${watches.map((one) => html`<li><strong>${one.name}</strong> · ${one.collection} · ${one.documents ? one.documents.map((id) => html`<${Name}>${id}</${Name}> `) : t('notices.all')}
        <${Button} kind="small" onClick=${() => remove(path`/collections/${one.collection}/watches/${one.id}`).then(done(t('notices.ended')), setProblem)}>${t('notices.end')}</${Button}></li>`)}</ul>
      <form class="card" onSubmit=${watch}><h3>${t('notices.add')}</h3><div class="fields">
        <${Choice} label=${t('new.collection')} value=${wanted.collection || largest(collections)} change=${(collection) => set({ collection })} options=${collections.map((one) => [one.name, one.title || one.name])}/>
        <${Field} label=${t('column.name')}><input required value=${wanted.name} onInput=${(event) => set({ name: event.target.value })}/></${Field}>
        <${Field} label=${t('notices.documents')} about=${t('notices.documents_about')}><input value=${wanted.documents} onInput=${(event) => set({ documents: event.target.value })}/></${Field}>
        <${Field} label=${t('notices.webhook')} about=${t('notices.webhook_about')}><input type="url" value=${wanted.webhook} onInput=${(event) => set({ webhook: event.target.value })}/></${Field}></div>
        <${Button} type="submit">${t('notices.add')}</${Button}></form>`}</${Answered}>
    <${CopyAs} request=${{ path: '/api/v1/notices' }}/>`;
}
