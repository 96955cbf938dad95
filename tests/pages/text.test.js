import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { open, serve } from './library.js';

const server = await serve();

// Markup and code in forty forms. Each of them, where it becomes more than text, sets `ran`.
const RUN = 'window.ran=1';
const STRINGS = [
  `<script>${RUN}</script>`, `<SCRIPT>${RUN}</SCRIPT>`, `<script src="data:text/javascript,${RUN}"></script>`, `"><script>${RUN}</script>`, `'><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`, `</textarea><script>${RUN}</script>`, `</style><script>${RUN}</script>`, `</script><script>${RUN}</script>`, `--><script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`, `<img src=x onerror=${RUN}//`, `"><img src=x onerror=${RUN}>`, `<body onload=${RUN}>`, `<input autofocus onfocus=${RUN}>`,
  `<details open ontoggle=${RUN}>`, `<video><source onerror=${RUN}></video>`, `<audio src onerror=${RUN}>`, `<marquee onstart=${RUN}>`, `<div onmouseover="${RUN}" style="position:fixed;inset:0">x</div>`,
  `<svg onload=${RUN}>`, `<svg><script>${RUN}</script></svg>`, `<svg><animate onbegin=${RUN} attributeName=x></svg>`, `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`, `<math><mtext><script>${RUN}</script></mtext></math>`,
  `javascript:${RUN}`, `JaVaScRiPt:${RUN}`, `<a href="javascript:${RUN}">x</a>`, `<iframe src="javascript:parent.ran=1"></iframe>`, `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`, `<object data="javascript:${RUN}"></object>`, `<base href="javascript:${RUN}//">`, `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`, `<link rel=stylesheet href="data:text/css,*{display:none}">`,
  `\${${RUN}}`, `{{constructor.constructor('${RUN}')()}}`, `<%= ${RUN} %>`, `\u202Egnp.exe<b>`, `&lt;script&gt;${RUN}&lt;/script&gt;<template><script>${RUN}</script></template>`,
];

/** Nothing ran, nothing became an element, and the strings stand there as text. */
async function isText(page, where, names) {
  assert.equal(await page.evaluate(() => window.ran), undefined, where);
  const made = await page.locator('main').evaluate((main) => [...main.querySelectorAll('script, iframe, object, base, meta, link, body, marquee, video, audio, math, template, form[action], input[autofocus], img[src="x"], [onerror], [onload], [onfocus], [ontoggle], [onstart], [onmouseover], [onbegin], a[href^="javascript:" i]')].map((one) => one.outerHTML));
  assert.deepEqual(made, [], where);
  const shown = await page.locator('main').innerText();
  for (const name of names) assert.ok(shown.replace(/\s+/g, ' ').includes(name.replace(/\s+/g, ' ')), `${where} does not show ${name}`);
}

test('text, title, id, source and author never become markup', async () => {
  assert.equal(STRINGS.length, 40);
  await server.post('/collections', { name: 'hostile', title: STRINGS[0] });
  const words = 'the quick brown fox jumps over the lazy dog and runs into the dark wood behind the old mill by the river ';
  const lines = STRINGS.flatMap((text, n) => ['x', 'y'].map((copy) => JSON.stringify({ id: `${text} ${copy}`, title: `${text} title`, source: text, author: text, fields: { author: text }, time: '2026-01-02',
    text: `${text} number${n} begins ${Array.from({ length: 30 }, (_, at) => `w${n}x${at}`).join(' ')} ${text} ${n === 0 ? words : ''}ends here fox` })));
  await server.post('/collections/hostile/documents:bulk', lines.join('\n'), 'application/x-ndjson');
  const job = await server.job({ kind: 'dedup', input: { collection: 'hostile' }, settings: { pairs: 'all' }, title: STRINGS[10] });
  await server.searchable('hostile');
  await server.post('/pools', { name: 'hostile', question: 'near-duplicate', results: [job.id] });
  const told = await server.get(`/results/${job.id}`);
  assert.ok(told.counts.clusters >= 40, `${told.counts.clusters} clusters`);
  // Every list has all strings, each of them in its row.
  const lists = { documents: STRINGS.map((text) => `${text} x`), pairs: STRINGS.map((text) => `${text} y`), removed: STRINGS, clusters: STRINGS.map((text) => text) };
  for (const [table, names] of Object.entries(lists)) {
    const where = `/results/${job.id}?table=${table}`;
    const page = await open(server, where);
    const seen = [];
    for (let more = true; more;) {
      await page.locator('.grid[aria-busy=false] tbody tr').first().waitFor();
      await isText(page, where, []);
      seen.push(...await page.locator('.grid tbody tr').allInnerTexts());
      const next = page.locator('.pager').getByRole('button', { name: 'Next' });
      more = await next.isEnabled();
      if (more) { await next.click(); await page.settled(); }
    }
    for (const name of names) assert.ok(seen.some((row) => row.replace(/\s+/g, ' ').includes(name.replace(/\s+/g, ' '))), `${table}: ${name}`);
    await page.done();
  }
  // One cluster, one pair and one pair to judge of each string, in the same window.
  const clusters = (await server.get(`/results/${job.id}/clusters?limit=1000`)).rows;
  const pairs = (await server.get(`/results/${job.id}/pairs?limit=1000`)).rows;
  const page = await open(server, '/');
  const visit = async (where, names, ready) => { await page.goto(server.url + where); await page.locator(ready).first().waitFor(); await page.settled(); await isText(page, where, names); };
  for (const text of STRINGS) {
    const cluster = clusters.find(({ row }) => row.members.includes(`${text} x`));
    const pair = pairs.find(({ row }) => [row.a, row.b].every((id) => id.startsWith(`${text} `)));
    await visit(`/results/${job.id}/clusters/${cluster.number}`, [`${text} x`, `${text} y`], 'table');
    await visit(`/results/${job.id}/pairs/${pair.number}`, [`${text} x`, `${text} title`], '.pane mark');
  }
  await visit('/judge/hostile?by=ann', [], '.question[aria-busy=false]');
  for (let n = 0; n < 40; n += 1) {
    await page.locator('.question[aria-busy=false]').waitFor();
    await isText(page, 'judge', []);
    await page.keyboard.press('u');
    await page.getByText(`${n + 1} judged now`).waitFor();
  }
  await visit('/live?in=hostile', STRINGS.map((text) => `${text} title`), '.cards .card:nth-child(40)');
  await visit('/', [STRINGS[10], STRINGS[0]], 'tbody');
  // Full text finds them all, two pages of twenty, folded and not.
  for (const fold of ['cluster', 'none']) await visit(`/search?in=hostile&q=fox&fold=${fold}`, [], '.hit');
  await page.goto(`${server.url}/check?in=hostile`);
  await page.getByLabel('Text', { exact: true }).fill(`${STRINGS[10]} ${words} ${STRINGS[0]} number0 begins ${Array.from({ length: 30 }, (_, at) => `w0x${at}`).join(' ')}`);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.locator('.sources li').first().waitFor();
  await page.getByRole('button', { name: 'Side by side' }).first().click();
  await page.locator('.pane mark').first().waitFor();
  await isText(page, 'check', [`${STRINGS[0]} title`]);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save a report' }).click()]);
  const saved = readFileSync(await download.path(), 'utf8');
  assert.ok(!/<script|<img|<svg|<iframe/i.test(saved) && saved.includes('&#60;script&#62;'));
  await page.done();
});

test('a file with such a name is uploaded, and its name stays text', async () => {
  const page = await open(server, '/new');
  const names = STRINGS.filter((text) => !text.includes('/') && text.length < 80).map((text) => `${text}.txt`);
  assert.ok(names.length >= 15);
  await page.getByLabel('upload').check();
  await page.locator('input[type=file]').setInputFiles(names.map((name, n) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`File ${n} tells of nothing but itself and the number ${n}, in a few words that are its own.`) })));
  await page.getByText(names[0]).first().waitFor();
  await isText(page, 'upload', names);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.locator('.cards .card').nth(2).waitFor();
  await isText(page, 'preview', names.slice(0, 3));
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL('**/results/*');
  await page.getByRole('tab', { name: 'Documents' }).click();
  await page.locator('.grid[aria-busy=false] tbody tr').nth(names.length - 1).waitFor();
  await isText(page, 'documents', names);
  await page.done();
});

test('the policy allows no script and no style that is not a file of the server', async () => {
  for (const where of ['/', '/results/1', '/docs', '/problems', '/assets/app.js', '/api/v1/collections', '/nothing']) {
    const { headers } = await fetch(server.url + where);
    const policy = Object.fromEntries(headers.get('content-security-policy').split(';').map((part) => part.trim().split(/ (.*)/)));
    assert.ok(!/unsafe|\*|https?:/.test(headers.get('content-security-policy')), where);
    assert.deepEqual([policy['default-src'], policy['script-src'], policy['frame-ancestors'], policy['base-uri']], ["'none'", "'self'", "'none'", "'none'"], where);
    assert.equal(headers.get('x-content-type-options'), 'nosniff', where);
    assert.equal(headers.get('referrer-policy'), 'no-referrer', where);
  }
  // In the browser: no frame shows a page, no style of others applies, and links tell nobody where they were.
  const page = await open(server, '/');
  const outcome = await page.evaluate(async () => {
    const frame = document.createElement('iframe');
    frame.src = '/';
    document.body.append(frame);
    const style = document.createElement('style');
    style.textContent = 'h1 { display: none }';
    document.head.append(style);
    document.querySelector('h1').setAttribute('style', 'display: none');
    await new Promise((resolve) => { setTimeout(resolve, 200); });
    let isReachable = false;
    try { isReachable = Boolean(frame.contentDocument?.querySelector('#app')); } catch { /* Another origin: blocked. */ }
    return { isReachable, display: getComputedStyle(document.querySelector('h1')).display };
  });
  assert.deepEqual(outcome, { isReachable: false, display: 'block' });
  assert.ok(page.faults.length >= 2);
  page.faults.length = 0;
  await page.done();
});

test('no cell of a saved table is taken for a formula', async () => {
  await server.post('/collections', { name: 'formulas' });
  const starts = ['=', '+', '-', '@', '\t', '\r'];
  const story = 'tells of the harbour and of the old mill by the river where the ships wait in the evening for the tide to turn ';
  const lines = starts.flatMap((start, n) => ['x', 'y'].map((copy) => JSON.stringify({ id: `${start}cmd|'/C calc'!A${n}${copy}`, title: `${start}1+1`, source: `${start}SUM(A1)`, text: `${start}2+3 ${n} ${story.repeat(2)} ${n}${n}${n}` })));
  await server.post('/collections/formulas/documents:bulk', lines.join('\n'), 'application/x-ndjson');
  const { id } = await server.job({ kind: 'dedup', input: { collection: 'formulas' }, settings: { pairs: 'all' } });
  const page = await open(server, `/results/${id}?table=documents`);
  for (const table of ['Documents', 'Pairs', 'Clusters', 'Removed', 'clean']) {
    if (table !== 'clean') { await page.getByRole('tab', { name: table, exact: true }).click(); await page.locator('.grid[aria-busy=false] tbody tr').first().waitFor(); }
    const button = page.getByRole('button', { name: 'Download CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), table === 'clean' ? button.first().click() : button.last().click()]);
    const saved = readFileSync(await download.path(), 'utf8');
    const cells = saved.split('\n').slice(1).flatMap((line) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) || []).map((cell) => cell.replace(/,$/, '').replace(/^"/, ''));
    assert.ok(cells.some((cell) => cell.startsWith("'=cmd")), `${table}: ${saved.slice(0, 300)}`);
    const numbers = /^-?[\d.]+$/;
    assert.deepEqual(cells.filter((cell) => /^[=+\-@\t\r]./.test(cell) && !numbers.test(cell)), [], table);
  }
  await page.done();
});

test('names can be hidden', async () => {
  const job = await server.job({ kind: 'find', input: { collection: 'demo' } });
  const page = await open(server, `/results/${job.id}?table=documents`);
  await page.locator('.grid tbody tr').first().waitFor();
  assert.match(await page.locator('.grid tbody').innerText(), /Coast Wire/);
  await page.getByLabel('Names').selectOption('yes');
  await page.waitForFunction(() => !document.querySelector('.grid tbody').innerText.includes('Coast Wire'));
  await page.done();
});
