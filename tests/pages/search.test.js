import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { looked, open, serve } from './library.js';

const server = await serve();
const folder = mkdtempSync(path.join(tmpdir(), 'retold-upload-'));
const story = 'The harbour board will close the east quay for repairs from Monday until Friday, the harbour master said, and ships have to wait outside. ';

/** A file of stories: one is told three times, one is contained in another. */
function upload() {
  const file = path.join(folder, 'stories.jsonl');
  const other = 'A new ferry was launched on Thursday in front of four hundred people who had waited since the early morning in heavy rain for it. ';
  const lines = [['a', story.repeat(2) + other], ['b', `${story.repeat(2)}${other}Again.`], ['c', other], ['d', 'Nothing of this stands anywhere else, as it is about bread, salt, ovens and the bakers of the old town alone.']];
  writeFileSync(file, lines.map(([id, text]) => JSON.stringify({ id, text })).join('\n'));
  return file;
}

test('from an upload to the clean set, by the page alone', async () => {
  const page = await open(server, '/new');
  await page.getByLabel('upload').check();
  await page.locator('input[type=file]').setInputFiles(upload());
  await looked(page, 'new-1');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Preview on three documents').waitFor();
  await looked(page, 'new-2');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Wanted').selectOption('dedup');
  await page.getByLabel('Keep all pairs').check();
  await looked(page, 'new-3');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL('**/results/*');
  await page.getByRole('heading', { name: 'The clean set' }).waitFor();
  await page.getByText(/documents stay/).waitFor();
  await looked(page, 'result-dedup');
  const id = page.url().split('/').at(-1);
  const removed = await server.get(`/results/${id}/removed`);
  assert.ok(removed.rows.length >= 1, JSON.stringify(removed));
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download the clean set' }).click()]);
  const kept = readFileSync(await download.path(), 'utf8').trim().split('\n').map((line) => JSON.parse(line).id).sort();
  assert.deepEqual(kept, ['a', 'b', 'c', 'd'].filter((one) => !removed.rows.some((row) => row.row.id === one)));
  // A person keeps what would have gone, and takes it back.
  await page.getByRole('tab', { name: 'Removed' }).click();
  await page.getByRole('button', { name: 'Keep', exact: true }).first().click();
  await page.getByText('The decision was noted').waitFor();
  assert.equal((await server.get(`/results/${id}/decisions`)).decisions.length, 1);
  assert.equal((await server.get(`/results/${id}/kept`)).removed, removed.rows.length - 1);
  await page.getByRole('tab', { name: 'Decisions' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('taken back by').waitFor();
  assert.equal((await server.get(`/results/${id}/kept`)).removed, removed.rows.length);
  // Compared with known pairs.
  await page.getByRole('tab', { name: 'Compare with known pairs' }).click();
  await page.getByLabel('Known pairs').fill('a\tb\nc\td\n');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Known, not found').first().waitFor();
  await looked(page, 'evaluation');
  await page.done();
});

test('clusters, filters, a cluster and two texts side by side', async () => {
  const job = await server.job({ kind: 'find', input: { collection: 'demo' }, settings: { pairs: 'all' }, title: 'sample news' });
  const page = await open(server, `/results/${job.id}`);
  await page.getByRole('heading', { name: 'How much the pairs share' }).waitFor();
  await page.locator('.grid tbody tr').first().waitFor();
  await looked(page, 'result');
  const total = await page.locator('.grid tbody tr').count();
  await page.getByLabel('Filter').fill('size:3');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.waitForFunction((n) => document.querySelectorAll('.grid tbody tr').length < n, total);
  const answered = await server.get(`/results/${job.id}/clusters?filter=size:3`);
  assert.equal(await page.locator('.grid tbody tr').count(), answered.matching);
  await page.locator('.grid tbody a').first().click();
  await page.getByRole('heading', { name: 'What all members share' }).waitFor();
  await looked(page, 'cluster');
  await page.locator('section', { hasText: 'Pairs' }).getByRole('link').last().click().catch(() => {});
  await page.goto(`${server.url}/results/${job.id}/pairs/5`);
  await page.locator('.pane mark').first().waitFor();
  await looked(page, 'pair');
  await page.getByLabel('Show words that differ').check();
  await page.locator('.differs').first().waitFor();
  await page.locator('h1').focus();
  await page.keyboard.press('n');
  assert.match(page.url(), /#passage-\d+$/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as a page' }).click()]);
  const saved = readFileSync(await download.path(), 'utf8');
  assert.ok(saved.includes('<mark') && !saved.includes('<script'));
  await page.done();
});

test('a threshold is tried on stored scores', async () => {
  const job = await server.job({ kind: 'find', input: { collection: 'demo' }, settings: { pairs: 'all' } });
  const page = await open(server, `/results/${job.id}?table=regroup`);
  await page.getByText(/pairs remain/).waitFor();
  await page.locator('input[type=range]').fill('0.9');
  const expected = (await server.get(`/results/${job.id}/facets?table=pairs&filter=${encodeURIComponent('in:0.9..1')}`)).matching;
  await page.getByText(`${expected} pairs remain`).waitFor();
  await looked(page, 'regroup');
  await page.getByRole('button', { name: 'Group again' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/results/') && !url.pathname.endsWith(`/${job.id}`));
  const made = await server.get(`/results/${page.url().split('/').at(-1)}`);
  assert.equal(made.kind, 'regroup');
  await page.done();
});
