import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open, serve } from './library.js';

const server = await serve();

// Markup in every place where strangers can put text.
const STRINGS = ['<script>window.ran=1</script>', '<img src=x onerror="window.ran=1">', '"><svg onload=window.ran=1>', "javascript:window.ran=1", '{{constructor.constructor("window.ran=1")()}}', '</textarea><script>window.ran=1</script>', '\u202Egnp.exe<iframe srcdoc="<script>parent.ran=1</script>">'];

test('text of documents never becomes markup', async () => {
  await server.post('/collections', { name: 'hostile' });
  const words = 'the quick brown fox jumps over the lazy dog and runs into the dark wood behind the old mill by the river ';
  const lines = STRINGS.flatMap((text, n) => ['x', 'y'].map((copy) => JSON.stringify({ id: `${text}-${copy}`, title: text, source: text, author: text, text: `${text} ${words.repeat(3)} number ${n} ${text}` })));
  await server.post('/collections/hostile/documents:bulk', lines.join('\n'), 'application/x-ndjson');
  const job = await server.job({ kind: 'dedup', input: { collection: 'hostile' }, settings: { pairs: 'all' }, title: STRINGS[1] });
  for (const where of [`/results/${job.id}`, `/results/${job.id}?table=documents`, `/results/${job.id}?table=pairs`, `/results/${job.id}?table=removed`, `/results/${job.id}/clusters/0`, `/results/${job.id}/pairs/0`, '/search?in=hostile&q=fox', '/live?in=hostile', '/']) {
    const page = await open(server, where);
    await page.waitForLoadState('networkidle').catch(() => {});
    assert.equal(await page.evaluate(() => window.ran), undefined, where);
    assert.equal(await page.locator('main script, main iframe, main img[src="x"], main svg[onload]').count(), 0, where);
    assert.match(await page.locator('main').innerText(), /<script>|onerror|<svg|\{\{/, where);
    await page.done();
  }
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
