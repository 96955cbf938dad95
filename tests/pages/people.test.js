import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually, looked, open, serve } from './library.js';

const server = await serve();
const story = (await server.get('/collections/demo/documents/cw-2101')).text;
const other = (await server.get('/collections/demo/documents/cw-2105')).text;

/** Writes a text into the page and checks it. */
async function check(page, text) {
  await page.getByLabel('Text', { exact: true }).fill(text);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.locator('form[aria-busy=false]').waitFor();
  await page.locator('section h2').first().waitFor();
  await page.settled();
}

test('the sources of a pasted article, and the case saved', async () => {
  const page = await open(server, '/');
  await page.getByRole('link', { name: 'Check a text' }).first().click();
  await check(page, `Our reporter writes. ${story} He adds that he has seen it with his own eyes in the spring of the year before.`);
  await page.getByRole('heading', { name: /was found/ }).waitFor();
  const asked = await server.post('/collections/demo/query', { text: `Our reporter writes. ${story} He adds that he has seen it with his own eyes in the spring of the year before.` });
  assert.equal(await page.locator('.sources > li').count(), asked.attribution.sources.length);
  await page.locator('.text mark').first().waitFor();
  await page.getByRole('button', { name: 'Side by side' }).first().click();
  await page.locator('.pane mark').first().waitFor();
  await looked(page, 'check');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save a report' }).click()]);
  const saved = readFileSync(await download.path(), 'utf8');
  assert.ok(saved.includes('<mark') && saved.includes('was found') && !saved.includes('<script'));
  await page.done();
});

test('quoted, cited and own text is told apart, marked or left out', async () => {
  const page = await open(server, '/check');
  const text = `I begin by myself, and nobody has said this before me. “${story}” After that I go on, as I wrote long ago: ${other}`;
  await page.getByText('Quotations, named sources, own texts').click();
  await check(page, text);
  await page.locator('.sources .tag', { hasText: 'quoted' }).waitFor();
  // What is quoted goes, and then what is mine.
  await page.getByLabel(/^Quotations/).selectOption('skip');
  await check(page, text);
  await page.getByText(/words are quoted and were left out/).waitFor();
  const found = Number((await page.locator('section h2').first().innerText()).match(/(\d+) of/)[1]);
  const rest = Number((await page.getByText(/Without what was left out/).innerText()).match(/(\d+) of/)[1]);
  assert.ok(rest > 0 && rest < found, `${rest} of ${found}`);
  assert.equal(await page.locator('.sources > li').count(), 1);
  await page.getByLabel(/^Own texts/).fill('cw-2105, another');
  await check(page, text);
  await page.getByText(/come from your own texts and were left out/).waitFor();
  assert.equal(await page.locator('.sources > li').count(), 0);
  assert.ok(await page.locator('.text .common').count() >= 2);
  await looked(page, 'check-apart');
  // A source that the text names is marked.
  await page.getByLabel(/^Own texts/).fill('');
  await check(page, `As the Coast Wire has it: ${other}`);
  await page.locator('.sources .tag', { hasText: 'named in the text' }).first().waitFor();
  await page.done();
});

test('a text that stands nowhere is said to stand nowhere, with what was searched', async () => {
  const page = await open(server, '/check');
  const text = 'Forty violet teapots argued about geometry under a bridge made of paper and string until the moon asked them to be quiet at last.';
  await page.locator('input[type=file]').setInputFiles({ name: 'teapots.txt', mimeType: 'text/plain', buffer: Buffer.from(text) });
  await page.getByText(`${text.length} characters`).waitFor();
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
  await eventually(async () => assert.deepEqual((await server.get('/collections/demo/watches')).watches.map((one) => one.documents), [['cw-2101']]));
  await server.post('/collections', { name: 'blog', check_against: ['demo'] });
  const posted = await server.put('/collections/blog/documents/post-1', { text: story, title: 'My own thoughts' });
  assert.ok(posted.check.sources.length >= 1);
  await eventually(async () => assert.equal((await server.get('/notices')).notices.length, 1));
  await page.reload();
  await page.getByRole('heading', { name: /My own thoughts/ }).waitFor();
  await page.getByText(/100% of what was posted stands in it/).waitFor();
  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.locator('.pane mark').first().waitFor();
  await looked(page, 'notices');
  await page.getByRole('button', { name: 'Mark as read' }).click();
  await page.getByRole('button', { name: 'Mark as unread' }).waitFor();
  assert.equal((await server.get('/notices')).notices[0].is_read, true);
  await page.done();
});

test('copies are folded in a search and unfold; the earliest or the most complete is shown', async () => {
  await server.searchable('demo');
  const page = await open(server, '/search');
  await page.getByLabel('Words').fill('harbour');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.hit').first().waitFor();
  await looked(page, 'search');
  const told = await server.get('/collections/demo/search?q=harbour&fold=cluster');
  const at = told.hits.findIndex((hit) => hit.folded.length > 0);
  const all = [told.hits[at], ...told.hits[at].folded];
  await page.locator('.hit').nth(at).getByRole('button', { name: `+${all.length - 1} copies` }).click();
  await page.locator('.folded li').first().waitFor();
  assert.equal(await page.locator('.folded li').count(), all.length - 1);
  const best = (better) => all.reduce((one, next) => (better(next, one) ? next : one));
  for (const [name, wanted] of [['complete', best((x, y) => x.characters > y.characters)], ['earliest', best((x, y) => Date.parse(x.time) < Date.parse(y.time))]]) {
    await page.getByLabel(/^Shown/).selectOption(name);
    await page.waitForURL(new RegExp(`first=${name}`));
    await page.locator('.hit').nth(at).locator('h2', { hasText: wanted.title || wanted.id }).waitFor();
  }
  await page.done();
});

test('stories appear as they come, copies behind the first', async () => {
  await server.post('/collections', { name: 'wire', window: '7d' });
  const page = await open(server, '/live?in=wire');
  await page.getByText('Connected').waitFor();
  await server.put('/collections/wire/documents/one', { text: story, title: 'Canal reopens', time: '2026-11-01', source: 'First Wire' });
  await page.getByRole('heading', { name: 'Canal reopens' }).waitFor();
  await server.put('/collections/wire/documents/two', { text: `${story} So it is.`, title: 'Canal open again', time: '2026-11-02', source: 'Second Wire' });
  await page.getByRole('button', { name: '+1 copies' }).click();
  await page.getByText('Canal open again').waitFor();
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

/** Answers pairs by keys; each key only when its pair is on the screen. */
async function judge(page, answers, before = 0) {
  for (const [n, answer] of answers.entries()) {
    await page.locator('.question[aria-busy=false]').waitFor();
    await page.locator('h1').focus();
    await page.keyboard.press(answer);
    await page.getByText(`${before + n + 1} judged now`).waitFor();
  }
}

async function asPerson(pool, name) {
  const page = await open(server, `/judge/${pool}`);
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByText(`You judge as ${name}`).waitFor();
  return page;
}

test('two people judge a pool by keys, and kappa is read', async () => {
  const first = await open(server, '/new');
  for (const step of ['Method', 'Clusters', 'Start']) {
    await first.getByRole('button', { name: 'Next' }).click();
    await first.locator('.steps [aria-current=step]', { hasText: step }).waitFor();
  }
  await first.getByRole('button', { name: 'Start' }).click();
  await first.waitForURL('**/results/*');
  await first.getByRole('link', { name: 'Judge' }).click();
  await first.locator('form').getByLabel('Name').fill('pool-1');
  await first.getByRole('button', { name: 'New pool' }).click();
  await first.waitForURL('**/judge/pool-1');
  const ann = await asPerson('pool-1', 'ann');
  await judge(ann, ['y', 'y', 'x', 'u']);
  // The last one is answered again.
  await ann.locator('.question[aria-busy=false]').waitFor();
  await ann.keyboard.press('z');
  await ann.getByText('3 judged now').waitFor();
  await ann.locator('.question[aria-busy=false]').waitFor();
  await ann.keyboard.press('x');
  await ann.getByText('4 judged now').waitFor();
  await looked(ann, 'judge');
  await ann.done();
  const bob = await asPerson('pool-1', 'bob');
  await judge(bob, ['y', 'x', 'x', 'y']);
  await bob.done();
  const said = (await server.get('/pools/pool-1/judgements?limit=100')).judgements;
  assert.deepEqual(said.filter((one) => one.by === 'bob').map((one) => one.answer), ['yes', 'no', 'no', 'yes']);
  await first.getByRole('button', { name: 'Agreement' }).click();
  await first.getByText('Mean kappa').waitFor();
  await looked(first, 'agreement');
  const told = await server.get('/pools/pool-1/agreement');
  assert.equal(told.assessors.pairs.length, 1);
  assert.equal(told.split, 2);
  await first.getByText(told.assessors.mean_kappa.toFixed(3)).first().waitFor();
  await first.done();
});

test('what two people disagree about goes to a third, who decides', async () => {
  const { id } = await server.job({ kind: 'find', input: { collection: 'demo' } });
  await server.post('/pools', { name: 'pool-3', question: 'partial', results: [id] });
  const { entries: all } = await server.get('/pools/pool-3/agreement');
  assert.ok(all >= 3, `${all} pairs`);
  const other = (answer) => (answer === 'y' ? 'x' : 'y');
  const answers = Array.from({ length: all }, (_, n) => (n % 2 ? 'x' : 'y'));
  // Ann and Bob sit at the same time and differ about the first and the last pair.
  const [ann, bob] = [await asPerson('pool-3', 'ann'), await asPerson('pool-3', 'bob')];
  await judge(ann, answers);
  await judge(bob, answers.map((answer, n) => (n === 0 || n === all - 1 ? other(answer) : answer)));
  for (const page of [ann, bob]) await page.getByText('There is nothing left for you to judge.').waitFor();
  const between = await server.get('/pools/pool-3/agreement');
  assert.deepEqual([between.split, between.decided], [2, all - 2]);
  // Carl is asked about these two only, and sees no answer of theirs.
  const carl = await asPerson('pool-3', 'carl');
  await carl.getByText('0 judged now, 2 left').waitFor();
  assert.ok(!/ann|bob/i.test(await carl.locator('.question').innerText()));
  await judge(carl, ['y']);
  await carl.locator('.question[aria-busy=false]').waitFor();
  // While he looks at the last one nobody else is asked about it.
  const dora = await asPerson('pool-3', 'dora');
  await dora.getByText('1 pairs are left, but others are looking at them now.').waitFor();
  await judge(carl, ['y'], 1);
  await carl.getByText('There is nothing left for you to judge.').waitFor();
  const told = await server.get('/pools/pool-3/agreement');
  assert.deepEqual([told.split, told.decided], [0, all]);
  const said = (await server.get('/pools/pool-3/judgements?limit=1000')).judgements;
  assert.ok(said.filter((one) => one.by === 'carl').every((one) => one.breaks_tie) && said.filter((one) => one.by === 'carl').length === 2);
  await carl.getByRole('button', { name: 'Agreement' }).click();
  // Tie-breaks count for the decision and not for agreement: kappa is that of Ann and Bob.
  const [pair] = told.assessors.pairs;
  assert.deepEqual([pair.first, pair.second, pair.cohen.n], ['ann', 'bob', all]);
  await carl.getByText(pair.cohen.kappa.toFixed(3)).first().waitFor();
  await looked(carl, 'agreement-three');
  for (const page of [ann, bob, carl, dora]) await page.done();
});
