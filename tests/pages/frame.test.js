import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, looked, onPhone, open, serve } from './library.js';

const server = await serve();

test('the start page tells what is here, in two languages, and remembers the choice', async () => {
  const page = await open(server, '/');
  assert.match(await page.locator('tbody').innerText(), /demo|sample/i);
  await looked(page, 'start');
  await page.getByLabel('Language').selectOption('tr');
  await page.getByRole('heading', { name: 'Koleksiyonlar' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Koleksiyonlar' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'tr');
  await page.done();
});

test('every page opens by its address and by the keyboard alone', async () => {
  const page = await open(server, '/');
  const links = await page.locator('#navigation a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.ok(links.length >= 9, links.join(' '));
  for (const link of links.filter((one) => one !== '/docs')) {
    await page.goto(server.url);
    await page.settled();
    await page.locator(`#navigation a[href="${link}"]`).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${link}`);
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    await page.reload();
    await page.locator('h1').waitFor();
  }
  await page.done();
});

/** Presses Tab until something has the focus. */
async function tabTo(page, locator) {
  await locator.waitFor();
  for (let n = 0; n < 200; n += 1) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail('it is not reached by the keyboard');
}

test('a search and a look at its result need no mouse', async () => {
  const page = await open(server, '/new');
  for (const step of ['Method', 'Clusters', 'Start']) {
    await tabTo(page, page.getByRole('button', { name: 'Next' }));
    await page.keyboard.press('Enter');
    await page.locator('.steps [aria-current=step]', { hasText: step }).waitFor();
  }
  await tabTo(page, page.getByRole('button', { name: 'Start' }));
  await page.keyboard.press('Enter');
  await page.waitForURL('**/results/*');
  await page.locator('.grid[aria-busy=false] tbody tr').first().waitFor();
  await tabTo(page, page.getByRole('tab', { name: 'Clusters' }));
  await page.keyboard.press('ArrowRight');
  const link = page.locator('.grid[aria-busy=false]').getByRole('link', { name: 'Side by side' }).first();
  await tabTo(page, link);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/pairs/*');
  await page.locator('.pane mark').first().waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  await page.keyboard.press('n');
  await page.waitForURL(/#passage-\d+$/);
  await page.done();
});

test('the first key press leads past the navigation', async () => {
  const page = await open(server, '/');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), '#main');
  await page.done();
});

test('on a phone nothing is wider than the screen and the menu opens', async () => {
  await server.searchable('demo');
  const { id } = await server.job({ kind: 'dedup', input: { collection: 'demo' }, settings: { pairs: 'all' } });
  await server.post('/pools', { name: 'phone', question: 'near-duplicate', results: [id] });
  const pages = { start: '/', new: '/new', check: '/check', search: '/search?q=harbour', live: '/live', compare: '/compare', pools: '/judge', judge: '/judge/phone?by=ann', notices: '/notices',
    experiments: '/experiments', result: `/results/${id}`, removed: `/results/${id}?table=removed`, cluster: `/results/${id}/clusters/0`, pair: `/results/${id}/pairs/5` };
  for (const [name, where] of Object.entries(pages)) {
    const page = await onPhone(server, where, name);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('#navigation').waitFor();
    await page.done();
  }
});

test('the documentation is served, with links between its pages', async () => {
  const page = await open(server, '/docs');
  await page.getByRole('link', { name: /guide/i }).first().click();
  await page.locator('h2').first().waitFor();
  await looked(page, 'docs');
  await page.goto(`${server.url}/docs/methods/anchor`);
  assert.match(await page.locator('main').innerText(), /How it works/);
  await page.done();
});

test('a script that gets into a page does not run', async () => {
  const page = await open(server, '/');
  await page.evaluate(() => { const script = document.createElement('script'); script.textContent = 'window.ran = true'; document.body.append(script); });
  assert.equal(await page.evaluate(() => window.ran), undefined);
  await eventually(() => assert.ok(page.faults.some((fault) => /Content Security Policy/i.test(fault))));
  page.faults.length = 0;
  await page.done();
});

test('an address that is no page says so', async () => {
  const response = await fetch(`${server.url}/nothing/here`);
  assert.equal(response.status, 404);
});
