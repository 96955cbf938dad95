import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { looked, open, serve, temporary, zip } from './library.js';

const folder = temporary();
const server = await serve('--root', folder);
const story = 'The harbour board will close the east quay for repairs from Monday until Friday, the harbour master said, and ships have to wait outside. ';
const other = 'A new ferry was launched on Thursday in front of four hundred people who had waited since the early morning in heavy rain for it. ';
/** One story is told twice, another is contained in it, the last one stands alone. */
const STORIES = [['a.txt', story.repeat(2) + other], ['b.txt', `${story.repeat(2)}${other}Again.`], ['c.txt', other],
  ['d.txt', 'Nothing of this stands anywhere else, as it is about bread, salt, ovens and the bakers of the old town alone.']];

const step = (page, name) => page.locator('.steps [aria-current=step]', { hasText: name }).waitFor();

test('from an uploaded zip to the clean set, by the page alone', async () => {
  const page = await open(server, '/');
  await page.getByRole('link', { name: 'New search' }).first().click();
  await page.getByLabel('upload').check();
  await page.locator('input[type=file]').setInputFiles({ name: 'stories.zip', mimeType: 'application/zip', buffer: zip(STORIES) });
  await page.getByText('stories.zip').first().waitFor();
  await looked(page, 'new-1');
  await page.getByRole('button', { name: 'Next' }).click();
  await step(page, 'Method');
  // The preview shows what is in the archive.
  await page.locator('.cards .card', { hasText: 'stories.zip!a.txt' }).waitFor();
  assert.equal(await page.locator('.cards .card').count(), 3);
  await page.getByText(/a\.txt · .*b\.txt: near-duplicate/).waitFor();
  await looked(page, 'new-2');
  await page.getByRole('button', { name: 'Next' }).click();
  await step(page, 'Clusters');
  await page.getByLabel('Wanted').selectOption('dedup');
  await page.getByLabel('Keep all pairs').check();
  await looked(page, 'new-3');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL('**/results/*');
  await page.getByRole('heading', { name: 'The clean set' }).waitFor();
  await page.getByText(/documents stay/).waitFor();
  await looked(page, 'result-dedup');
  const id = new URL(page.url()).pathname.split('/').at(-1);
  const removed = await server.get(`/results/${id}/removed`);
  assert.deepEqual(removed.rows.map((row) => row.row.id), ['stories.zip!a.txt']);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download the clean set' }).click()]);
  const kept = readFileSync(await download.path(), 'utf8').trim().split('\n').map((line) => JSON.parse(line).id).sort();
  assert.deepEqual(kept, ['b', 'c', 'd'].map((name) => `stories.zip!${name}.txt`));
  // A person keeps what would have gone, and takes it back.
  await page.getByRole('tab', { name: 'Removed' }).click();
  await page.getByRole('button', { name: 'Keep', exact: true }).first().click();
  await page.getByText('1 of them by decisions of people').waitFor();
  assert.deepEqual((await server.get(`/results/${id}/decisions`)).decisions.map((one) => [one.kind, one.documents]), [['keep', ['stories.zip!a.txt']]]);
  assert.equal((await server.get(`/results/${id}/kept`)).removed, 0);
  await page.getByRole('tab', { name: 'Decisions' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('taken back by 2').waitFor();
  assert.equal((await server.get(`/results/${id}/kept`)).removed, 1);
  // Compared with known pairs.
  await page.getByRole('tab', { name: 'Compare with known pairs' }).click();
  await page.getByLabel('Known pairs').fill('stories.zip!a.txt\tstories.zip!b.txt\nstories.zip!c.txt\tstories.zip!d.txt\n');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByText('Known, not found').first().waitFor();
  const numbers = await page.locator('section .figures dd').allInnerTexts();
  assert.deepEqual(numbers.slice(0, 3).map(Number).slice(0, 1), [2]);
  await looked(page, 'evaluation');
  await page.done();
});

test('a folder of the server is searched, from its list to its clusters', async () => {
  mkdirSync(path.join(folder, 'news'), { recursive: true });
  for (const [name, text] of STORIES) writeFileSync(path.join(folder, 'news', name), text);
  const page = await open(server, '/new');
  await page.getByLabel('a folder of the server').check();
  await page.getByRole('button', { name: path.basename(folder) }).click();
  await page.getByRole('button', { name: 'news/' }).click();
  await page.getByRole('button', { name: 'a.txt' }).waitFor();
  assert.match(await page.getByLabel('Folder or file').inputValue(), /news$/);
  await looked(page, 'new-folder');
  await page.getByRole('button', { name: 'Next' }).click();
  await step(page, 'Method');
  await page.locator('.cards .card').nth(2).waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await step(page, 'Clusters');
  await page.getByLabel(/^Clusters/).selectOption('components');
  await page.getByLabel('Name of the result').fill('From the folder');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('CPU seconds').waitFor();
  await looked(page, 'new-4');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL('**/results/*');
  await page.getByRole('heading', { name: 'From the folder' }).waitFor();
  await page.locator('.grid tbody tr').first().waitFor();
  const told = await server.get(`/results/${new URL(page.url()).pathname.split('/').at(-1)}`);
  assert.deepEqual([told.counts.documents, told.settings.clusters, told.counts.clusters], [4, 'components', 1]);
  assert.match(told.input.path, /news$/);
  // What lies outside is refused, whatever is typed.
  await page.goto(`${server.url}/new`);
  await page.getByLabel('a folder of the server').check();
  await page.getByLabel('Folder or file').fill('/etc');
  await page.getByRole('alert').first().waitFor();
  page.faults.length = 0;
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
  await page.waitForFunction((n) => document.querySelectorAll('.grid[aria-busy=false] tbody tr').length < n, total);
  await page.locator('.grid[aria-busy=false]').waitFor();
  const answered = await server.get(`/results/${job.id}/clusters?filter=size:3`);
  assert.equal(await page.locator('.grid tbody tr').count(), answered.matching);
  // A bar adds its term, and takes it away again.
  const facets = (await server.get(`/results/${job.id}/facets?table=clusters&filter=size:3`)).facets;
  const { bins: [bin] } = facets.find((facet) => facet.name === 'cohesion');
  const bar = page.locator('.facets figure', { hasText: 'Cohesion' }).getByRole('button').first();
  await bar.click();
  await page.waitForURL((url) => url.searchParams.get('filter') === `size:3 ${bin.term}`);
  await page.locator('.facets [aria-pressed=true]', { hasText: /./ }).first().waitFor();
  await bar.click();
  await page.waitForURL((url) => url.searchParams.get('filter') === 'size:3');
  await page.locator('.grid[aria-busy=false] tbody a').first().click();
  await page.getByRole('heading', { name: 'What all members share' }).waitFor();
  await looked(page, 'cluster');
  await page.locator('section', { has: page.getByRole('heading', { name: 'Pairs', exact: true }) }).getByRole('link').first().click();
  await page.waitForURL('**/pairs/*');
  await page.locator('.pane mark').first().waitFor();
  await page.goto(`${server.url}/results/${job.id}/pairs/5`);
  await page.locator('.pane mark').first().waitFor();
  await looked(page, 'pair');
  await page.getByLabel('Show words that differ').check();
  await page.locator('.differs').first().waitFor();
  await page.locator('h1').focus();
  await page.keyboard.press('n');
  await page.waitForURL(/#passage-\d+$/);
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
  await page.getByText(`${expected} pairs remain`, { exact: true }).waitFor();
  await looked(page, 'regroup');
  await page.getByRole('button', { name: 'Group again' }).click();
  await page.waitForURL((url) => url.pathname.startsWith('/results/') && !url.pathname.endsWith(`/${job.id}`));
  const made = await server.get(`/results/${new URL(page.url()).pathname.split('/').at(-1)}`);
  assert.equal(made.kind, 'regroup');
  await page.done();
});
