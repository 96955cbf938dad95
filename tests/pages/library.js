// What all tests of the pages use: a server, a browser, accessibility, screenshots.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A machine that has much else to do needs its time. */
const PATIENCE = 90000;

const folders = [];
const servers = [];
/** A folder that goes with the tests of the file. */
export function temporary() {
  folders.push(mkdtempSync(path.join(tmpdir(), 'retold-pages-')));
  return folders.at(-1);
}

after(async () => {
  // Whoever writes into a folder ends before it goes.
  for (const child of servers) {
    const ended = new Promise((resolve) => { child.once('exit', resolve); });
    if (child.exitCode === null && child.signalCode === null) { child.kill('SIGKILL'); await ended; }
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts a server with the sample news; it ends with the tests of the file. */
export async function serve(...options) {
  const data = temporary();
  const child = spawn(process.env.RETOLD, ['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0', '--json', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.push(child);
  const line = await new Promise((resolve, reject) => {
    let told = '';
    child.stdout.on('data', (some) => { told += some; if (told.includes('\n')) resolve(told); });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const url = JSON.parse(line).listens;
  const send = async (method, where, body, type = 'application/json') => {
    const response = await fetch(`${url}/api/v1${where}`, { method, body: body === undefined ? undefined : type === 'application/json' ? JSON.stringify(body) : body, headers: body === undefined ? {} : { 'content-type': type } });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${where}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  };
  /** Runs a job to its end and returns it. */
  const job = async (body) => {
    const begun = await send('POST', '/jobs', body);
    for (;;) {
      const now = await send('GET', `/jobs/${begun.id}`);
      if (!['queued', 'running'].includes(now.status)) { assert.equal(now.status, 'done', JSON.stringify(now)); return now; }
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
  };
  /** Waits until the full-text search, which follows a moment later, knows all documents of a collection. */
  const searchable = (name) => eventually(async () => {
    const { searched, searchable: n } = await send('GET', `/collections/${name}`);
    assert.equal(n, searched.documents);
  });
  return { url, data, job, searchable, get: (where) => send('GET', where), post: (where, body, type) => send('POST', where, body, type), put: (where, body) => send('PUT', where, body) };
}

/** Asks again until nothing is wrong any more, at most for a while. */
export async function eventually(check, seconds = 60) {
  for (const end = Date.now() + seconds * 1000; ;) {
    try { return await check(); } catch (error) { if (Date.now() > end) throw error; }
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}

/** Requests that never end by themselves. */
const isStream = (request) => /\/(stream|events)(\?|$)/.test(request.url());

/** Waits until a page has asked for everything, got it and drawn it: three frames in a row without a request under way. */
async function settled(page, pending, seconds = 60) {
  const end = Date.now() + seconds * 1000;
  for (let calm = 0; calm < 3;) {
    // A page that is just being left has no frames; the next one has.
    const isDrawn = await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(() => done(true), 0)); })).catch(() => false);
    calm = isDrawn && pending.size === 0 ? calm + 1 : 0;
    assert.ok(Date.now() < end, `the page waits for ${[...pending].map((one) => one.url()).join(' ')}`);
  }
}

let browser = null;
after(async () => { await browser?.close(); });

/**
 * Opens a page of the server and waits until it is there; whatever goes wrong in it, or leaves this machine, fails
 * `done`. `settled` waits again, after something was done.
 */
export async function open(server, where, { width = 1280, height = 900, colorScheme = 'light', ...more } = {}) {
  browser ??= await chromium.launch({ timeout: PATIENCE, executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'en-GB', acceptDownloads: true, ...more });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => { if (message.type() === 'error') faults.push(`console: ${message.text()}`); });
  page.on('dialog', (dialog) => { faults.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== server.url) faults.push(`a request to ${request.url()}`); });
  const pending = new Set();
  page.on('request', (request) => { if (!isStream(request)) pending.add(request); });
  for (const over of ['requestfinished', 'requestfailed']) page.on(over, (request) => pending.delete(request));
  page.settled = () => settled(page, pending);
  await page.goto(server.url + where);
  await page.locator('h1').first().waitFor();
  await page.settled();
  page.faults = faults;
  page.done = async () => { await context.close(); assert.deepEqual(faults, []); };
  return page;
}

/** No serious finding of axe-core; the page is kept as a picture, light and dark. */
export async function looked(page, name) {
  await page.settled();
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(process.env.SHOTS, `${name}-${colorScheme}.png`), fullPage: true });
    const found = await runAxe(page);
    const serious = found.violations.filter((one) => ['serious', 'critical'].includes(one.impact));
    assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`), [], `${name}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** On a phone nothing of a page is wider than the screen; it is kept as a picture. */
export async function onPhone(server, where, name) {
  const page = await open(server, where, { width: 360, height: 740 });
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await page.screenshot({ path: path.join(process.env.SHOTS, `${name}-phone.png`), fullPage: true });
  assert.ok(excess <= 1, `${where} is ${excess} px too wide`);
  return page;
}

/** A zip archive with files as they are, `[name, text]`. */
export function zip(files) {
  const crc = (bytes) => { let c = ~0; for (const byte of bytes) { c ^= byte; for (let n = 0; n < 8; n += 1) c = (c >>> 1) ^ (0xEDB88320 & -(c & 1)); } return ~c >>> 0; };
  const [bodies, entries] = [[], []];
  let at = 0;
  for (const [name, text] of files) {
    const [label, body] = [Buffer.from(name), Buffer.from(text)];
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0); facts.writeUInt16LE(0x800, 2); facts.writeUInt16LE(0x21, 8); facts.writeUInt32LE(crc(body), 10);
    facts.writeUInt32LE(body.length, 14); facts.writeUInt32LE(body.length, 18); facts.writeUInt16LE(label.length, 22);
    const [place, rest] = [Buffer.alloc(4), Buffer.alloc(10)];
    place.writeUInt32LE(at);
    bodies.push(Buffer.concat([Buffer.from('PK\x03\x04'), facts, label, body]));
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, rest, place, label]));
    at += bodies.at(-1).length;
  }
  const list = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4); end.writeUInt16LE(files.length, 6); end.writeUInt32LE(list.length, 8); end.writeUInt32LE(at, 12);
  return Buffer.concat([...bodies, list, Buffer.from('PK\x05\x06'), end]);
}

/** The policy of the pages forbids code that is not theirs, so axe runs in a world of its own. */
async function runAxe(page) {
  const client = await page.context().newCDPSession(page);
  const { frameTree } = await client.send('Page.getFrameTree');
  const { executionContextId } = await client.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'axe' });
  await client.send('Runtime.evaluate', { expression: axe, contextId: executionContextId });
  const { result, exceptionDetails } = await client.send('Runtime.evaluate', { expression: "axe.run(document, { resultTypes: ['violations'] }).then(JSON.stringify)", contextId: executionContextId, awaitPromise: true, returnByValue: true });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
  await client.detach();
  return JSON.parse(result.value);
}
