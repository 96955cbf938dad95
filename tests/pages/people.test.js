import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { looked, open, serve } from './library.js';

const server = await serve();
const story = (await server.get('/collections/demo/documents/cw-2101')).text;

test('the sources of a pasted article, and the case saved', async () => {
  const page = await open(server, '/check');
  await page.getByLabel('Text', { exact: true }).fill(`Our reporter writes. ${story} He adds that he has seen it with his own eyes in the spring of the year before.`);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByRole('heading', { name: /was found/ }).waitFor();
  assert.ok(await page.locator('.sources li').count() >= 1);
  assert.ok(await page.locator('.text mark').count() >= 1);
  await page.getByRole('button', { name: 'Side by side' }).first().click();
  await page.locator('.pane mark').first().waitFor();
  await looked(page, 'check');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save a report' }).click()]);
  assert.match(readFileSync(await download.path(), 'utf8'), /<mark/);
  await page.done();
});

test('a text that stands nowhere is said to stand nowhere, with what was searched', async () => {
  const page = await open(server, '/check');
  await page.getByLabel('Text', { exact: true }).fill('Forty violet teapots argued about geometry under a bridge made of paper and string until the moon asked them to be quiet at last.');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Nothing of it was found').waitFor();
  await page.getByText(/Searched: 74 documents/).waitFor();
  await page.done();
});

test('a copy that is posted gives the watcher a notice', async () => {
  const page = await open(server, '/notices');
  await page.getByText('There are no notices.').waitFor();
  await page.locator('form').getByLabel('Name').fill('canal');
  await page.locator('form').getByLabel('Documents').fill('cw-2101');
  await page.getByRole('button', { name: 'Watch' }).click();
  await page.getByText('It is watched now').waitFor();
  await server.post('/collections', { name: 'blog', check_against: ['demo'] });
  const posted = await server.put('/collections/blog/documents/post-1', { text: story, title: 'My own thoughts' });
  assert.ok(posted.check.sources.length >= 1);
  await page.reload();
  await page.getByRole('heading', { name: /My own thoughts/ }).waitFor();
  await looked(page, 'notices');
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await page.getByRole('button', { name: 'Mark as unread' }).waitFor();
  assert.equal((await server.get('/notices')).notices[0].is_read, true);
  await page.done();
});

test('copies are folded in a search and unfold', async () => {
  const page = await open(server, '/search?q=harbour');
  await page.locator('.hit').first().waitFor();
  await looked(page, 'search');
  await page.getByRole('button', { name: /^\+\d+ copies$/ }).first().click();
  assert.ok(await page.locator('.folded li').count() >= 1);
  await page.done();
});

test('stories appear as they come, copies behind the first', async () => {
  await server.post('/collections', { name: 'wire', window: '7d' });
  const page = await open(server, '/live?in=wire');
  await page.getByText('Connected').waitFor();
  await server.put('/collections/wire/documents/one', { text: story, title: 'Canal reopens', time: '2026-11-01', source: 'First Wire' });
  await page.getByRole('heading', { name: 'Canal reopens' }).waitFor();
  await server.put('/collections/wire/documents/two', { text: `${story} So it is.`, title: 'Canal open again', time: '2026-11-02', source: 'Second Wire' });
  await page.getByRole('button', { name: '+1 copies' }).waitFor();
  await looked(page, 'live');
  await page.done();
});

test('two texts side by side without a collection', async () => {
  const page = await open(server, '/compare');
  await page.getByLabel('First text').fill(story);
  await page.getByLabel('Second text').fill(`It was said: ${story}`);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.locator('.pane mark').first().waitFor();
  await looked(page, 'compare');
  await page.done();
});

test('two people judge a pool by keys, and kappa is read', async () => {
  await server.job({ kind: 'find', input: { collection: 'demo' } });
  const first = await open(server, '/judge');
  await first.locator('form').getByLabel('Name').fill('pool-1');
  await first.getByRole('button', { name: 'New pool' }).click();
  await first.waitForURL('**/judge/pool-1');
  for (const [name, answers] of [['ann', ['y', 'y', 'x', 'u']], ['bob', ['y', 'x', 'x', 'y']]]) {
    const page = await open(server, '/judge/pool-1');
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', { name: 'Begin' }).click();
    for (const [n, answer] of answers.entries()) {
      await page.locator('.question[aria-busy=false]').waitFor();
      await page.locator('h1').focus();
      await page.keyboard.press(answer);
      await page.getByText(`${n + 1} judged now`).waitFor();
    }
    if (name === 'ann') {
      // The last one is answered again.
      await page.keyboard.press('z');
      await page.getByText('3 judged now').waitFor();
      await page.locator('.question[aria-busy=false]').waitFor();
      await page.keyboard.press('x');
      await page.getByText('4 judged now').waitFor();
      await looked(page, 'judge');
    }
    await page.done();
  }
  const said = (await server.get('/pools/pool-1/judgements?limit=100')).judgements;
  assert.equal(said.filter((one) => one.by === 'bob').length, 4);
  await first.getByRole('button', { name: 'Agreement' }).click();
  await first.getByText('Mean kappa').waitFor();
  await looked(first, 'agreement');
  const told = await server.get('/pools/pool-1/agreement');
  assert.ok(told.assessors.pairs.length >= 1);
  await first.done();
});
