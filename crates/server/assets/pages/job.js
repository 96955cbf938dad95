// A job: how far it is, cancel, and where its result is. The address stays when the page is closed.

import { html, useEffect, useState } from '../vendor/preact.js';
import { events, get, path, remove } from '../api.js';
import { has, number, t, time } from '../i18n.js';
import { go } from '../router.js';
import { Answered, Button, CopyAs, Failure, Progress, useAnswer } from '../ui.js';

const isOver = (status) => ['done', 'failed', 'cancelled'].includes(status);

/** With `follow=yes` the page goes on to the result when the job is done, also if it was done before the page was there. */
export function Job({ values, query }) {
  const answer = useAnswer((signal) => get(path`/jobs/${values.job}`, {}, signal), [values.job]);
  const [now, setNow] = useState(null);
  const [problem, setProblem] = useState(null);
  const job = answer.value;
  const hasResult = job && job.kind !== 'import';
  const goOn = () => go(`/results/${values.job}`, { replace: true });
  useEffect(() => {
    if (!job) return undefined;
    if (isOver(job.status)) {
      if (job.status === 'done' && hasResult && query.get('follow')) goOn();
      return undefined;
    }
    const abort = new AbortController();
    const hear = ({ data }) => {
      setNow(data);
      if (!isOver(data.status)) return;
      abort.abort();
      answer.again();
    };
    events(path`/jobs/${values.job}/events`, {}, abort.signal, hear).catch(setProblem);
    return () => abort.abort();
  }, [job?.status]);
  return html`<h1 tabindex="-1">${t('start.job', { n: values.job })}</h1><${Failure} problem=${problem}/>
    <${Answered} answer=${answer}>${(told) => {
      const progress = now?.progress || told.progress;
      const status = now?.status || told.status;
      return html`<p>${t(`kind_of_job.${told.kind}`)} · ${told.title || ''} <span class="tag">${t(`status.${status}`)}</span> <span class="quiet">${time(told.created)}</span></p>
        ${told.problem ? html`<${Failure} problem=${{ title: t('status.failed'), detail: told.problem }}/>` : null}
        ${isOver(status) ? null : html`<${Progress} label=${progress ? t('job.stage', { stage: has(`stage.${progress.stage}`) ? t(`stage.${progress.stage}`) : progress.stage, n: progress.documents }) : t('status.queued')} done=${progress?.done} total=${progress?.total}/>
          <p class="row"><${Button} onClick=${() => remove(path`/jobs/${values.job}`).then(answer.again, setProblem)}>${t('job.cancel')}</${Button}></p>`}
        ${progress?.bad_records ? html`<p>${t('job.bad', { n: progress.bad_records })}</p>` : null}
        ${progress?.remarks?.length ? html`<details><summary>${t('job.remarks', { n: progress.remarks.length })}</summary><ul>${progress.remarks.map((remark) => html`<li>${remark}</li>`)}</ul></details>` : null}
        ${status === 'done' && told.kind !== 'import' ? html`<p><a href=${`/results/${values.job}`}>${t('start.result', { n: values.job })}</a></p>` : null}
        ${told.outcome?.summary ? html`<p>${number(told.outcome.summary.documents)} ${t('column.documents')}</p>` : null}
        <${CopyAs} request=${{ path: `/api/v1/jobs/${values.job}` }}/>`;
    }}</${Answered}>`;
}
