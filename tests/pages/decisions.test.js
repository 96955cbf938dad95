import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { eventually, looked, open, serve, temporary } from './library.js';

const folder = temporary();
const server = await serve('--root', folder);
const WORDS = 'harbour quay ship ferry board repair storm bridge market council river winter school bread village train letter music garden island engine winter doctor painter lamp table stone forest cloud paper'.split(' ');

/** A text of words that hang on a number: two numbers share no run of words. */
function text(seed, length) {
  let state = seed * 2654435761 % 4294967296;
  return Array.from({ length }, () => { state = (state * 1664525 + 1013904223) % 4294967296; return WORDS[Math.floor(state / 4294967296 * WORDS.length)] + (state % 97); }).join(' ');
}

/** What the server says of the clusters once decisions are applied, by the first document of each. */
async function grouped(id) {
  const answer = await fetch(`${server.url}/api/v1/results/${id}/grouped`);
  return (await answer.text()).trim().split('\n').map((line) => JSON.parse(line));
}

test('clusters are merged and split, with a log and undo', async () => {
  const { id } = await server.job({ kind: 'find', input: { collection: 'demo' }, settings: { pairs: 'all' }, title: 'To be grouped' });
  const page = await open(server, `/results/${id}`);
  await page.locator('.grid[aria-busy=false] tbody tr').nth(2).waitFor();
  const merge = page.getByRole('button', { name: 'Merge the chosen clusters' });
  assert.ok(await merge.isDisabled());
  await page.getByLabel('Choose Cluster 1', { exact: true }).check();
  await page.getByLabel('Choose Cluster 2', { exact: true }).check();
  await merge.click();
  await page.locator('.grid tbody .tag', { hasText: 'merged' }).nth(1).waitFor();
  await looked(page, 'merged');
  let log = (await server.get(`/results/${id}/decisions`)).decisions;
  assert.deepEqual(log.map((one) => [one.kind, one.clusters]), [['merge', [1, 2]]]);
  const whole = (await grouped(id)).find((one) => one.clusters.length === 2);
  const rows = (await server.get(`/results/${id}/clusters?limit=1000`)).rows.map((row) => row.row);
  assert.deepEqual(whole.documents, [...rows[1].members, ...rows[2].members]);
  // From the page of a cluster: one member is split off, and the cluster is merged with another one.
  const [largest] = [...rows].sort((x, y) => y.size - x.size);
  await page.goto(`${server.url}/results/${id}/clusters/${largest.id}`);
  const member = largest.members.at(-1);
  await page.getByLabel(`Choose ${member}`, { exact: true }).check();
  await page.getByRole('button', { name: 'Split off' }).click();
  await page.locator('.decisions li', { hasText: 'split off' }).waitFor();
  const other = rows.find((row) => row.id > 2 && row.id !== largest.id).id;
  await page.getByLabel('Merge with cluster').fill(String(other));
  await page.getByRole('button', { name: 'Merge', exact: true }).first().click();
  await page.locator('.decisions li', { hasText: 'merged' }).waitFor();
  await looked(page, 'cluster-decided');
  let groups = await grouped(id);
  assert.ok(groups.some((one) => one.documents.length === 1 && one.documents[0] === member));
  assert.ok(groups.some((one) => one.clusters.includes(largest.id) && one.clusters.includes(other) && !one.documents.includes(member)));
  // Taken back, on the page of the cluster and in the log.
  await page.locator('.decisions li', { hasText: 'merged' }).getByRole('button', { name: 'Undo' }).click();
  await page.locator('.decisions li', { hasText: 'merged' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'All decisions' }).click();
  await page.locator('.decisions li', { hasText: 'split off' }).getByRole('button', { name: 'Undo' }).click();
  await page.getByText('taken back by 5').waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download the clusters as decided' }).click()]);
  await looked(page, 'decisions');
  log = (await server.get(`/results/${id}/decisions`)).decisions;
  assert.deepEqual(log.map((one) => [one.kind, one.undone_by]), [['merge', null], ['split', 5], ['merge', 4], ['undo', null], ['undo', null]]);
  groups = await grouped(id);
  assert.equal(groups.length, rows.length - 1);
  assert.equal(readFileSync(await download.path(), 'utf8').trim().split('\n').length, rows.length - 1);
  await page.done();
});

test('a running job is cancelled on its page', async () => {
  // So many that it cannot be over before it is cancelled: all pairs are compared.
  const lines = Array.from({ length: 30_000 }, (_, n) => JSON.stringify({ id: `d${n}`, text: text(n + 1, 100) }));
  writeFileSync(path.join(folder, 'many.jsonl'), lines.join('\n'));
  const { id } = await server.post('/jobs', { kind: 'find', input: { path: 'many.jsonl' }, settings: { method: 'exhaustive' }, title: 'A long one' });
  const page = await open(server, `/jobs/${id}`);
  await page.locator('.tag', { hasText: 'running' }).waitFor();
  await looked(page, 'job');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.tag', { hasText: 'cancelled' }).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await server.get(`/jobs/${id}`)).status, 'cancelled'));
  await page.done();
});

test('a large cluster is shown as a matrix, and boilerplate is grey with its reason', async () => {
  const story = text(7, 300).split(' ');
  const footer = `Terms of use: ${text(99, 60)}`;
  await server.post('/collections', { name: 'large' });
  const copies = Array.from({ length: 60 }, (_, n) => ({ id: `copy-${String(n).padStart(2, '0')}`, time: `2026-01-${String(1 + n % 28).padStart(2, '0')}`, text: story.filter((_, at) => at % 60 !== n % 60).join(' ') }));
  const framed = Array.from({ length: 6 }, (_, n) => ({ id: `page-${n}`, text: `${text(200 + n, 150)}. ${footer}` }));
  // Two pages tell the same in the same frame.
  const twins = ['one', 'two'].map((name, n) => ({ id: `twin-${name}`, text: `${text(300, 150)} ${n ? 'indeed' : ''}. ${footer}` }));
  await server.post('/collections/large/documents:bulk', [...copies, ...framed, ...twins].map((one) => JSON.stringify(one)).join('\n'), 'application/x-ndjson');
  const { id } = await server.job({ kind: 'find', input: { collection: 'large' }, settings: { pairs: 'all' } });
  const clusters = (await server.get(`/results/${id}/clusters?sort=-size`)).rows;
  assert.equal(clusters[0].row.size, 60);
  const page = await open(server, `/results/${id}/clusters/${clusters[0].number}`);
  await page.getByRole('heading', { name: 'Shares between members' }).waitFor();
  assert.equal(await page.locator('.matrix tbody tr').count(), 60);
  assert.ok(await page.locator('.matrix td.level-8, .matrix td.level-9').count() > 2000);
  await looked(page, 'matrix');
  const pairs = (await server.get(`/results/${id}/pairs?filter=${encodeURIComponent('twin-')}&limit=100`)).rows;
  const twin = pairs.find(({ row }) => row.a.startsWith('twin') && row.b.startsWith('twin'));
  await page.goto(`${server.url}/results/${id}/pairs/${twin.number}`);
  await page.locator('.pane .common').first().waitFor();
  assert.match(await page.locator('.pane .common').first().innerText(), /[a-z]+\d+/);
  assert.match(await page.locator('.pane .common').first().getAttribute('title'), /6 other documents/);
  const told = await server.get(`/results/${id}/pairs/${twin.number}?offsets=utf16`);
  const [stretch] = told.boilerplate.a;
  assert.ok(footer.endsWith(told.a.text.slice(...stretch.span).trim().slice(-40)), JSON.stringify(stretch));
  await looked(page, 'boilerplate');
  // Why a page with the same frame is outside.
  const cluster = (await server.get(`/results/${id}/clusters?filter=member:twin-one`)).rows[0].number;
  await page.goto(`${server.url}/results/${id}/clusters/${cluster}`);
  await page.getByText('they share only passages').first().waitFor();
  await page.done();
});

test('a report of an experiment is read with its plots', async () => {
  execFileSync(process.env.RETOLD, ['experiment', 'hard-negatives', '--quick', '-q', '-o', path.join(server.data, 'experiments', 'first')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const page = await open(server, '/experiments');
  await page.getByRole('heading', { name: 'Hard negatives' }).waitFor();
  await page.getByRole('button', { name: 'Read the report' }).click();
  await page.locator('figure img').first().waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('figure img')].every((one) => one.complete && one.naturalWidth > 0));
  assert.ok(await page.locator('.docs table').count() >= 2);
  await looked(page, 'experiments');
  const told = (await server.get('/experiments')).experiments[0];
  await page.getByText(`Files (${told.files.length})`).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'results.jsonl' }).click()]);
  assert.equal(readFileSync(await download.path(), 'utf8'), readFileSync(path.join(server.data, 'experiments', 'first', 'results.jsonl'), 'utf8'));
  await page.done();
});
