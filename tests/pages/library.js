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

/** Starts a server with the sample news; it ends with the tests of the file. */
export async function serve(...options) {
  const data = mkdtempSync(path.join(tmpdir(), 'retold-pages-'));
  const child = spawn(process.env.RETOLD, ['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0', '--json', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve, reject) => {
    let told = '';
    child.stdout.on('data', (some) => { told += some; if (told.includes('\n')) resolve(told); });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const url = JSON.parse(line).listens;
  after(() => { child.kill('SIGKILL'); rmSync(data, { recursive: true, force: true }); });
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
  return { url, data, job, get: (where) => send('GET', where), post: (where, body, type) => send('POST', where, body, type), put: (where, body) => send('PUT', where, body) };
}

let browser = null;
after(async () => { await browser?.close(); });

/** Opens a page of the server; whatever goes wrong in it, or leaves this machine, fails `done`. */
export async function open(server, where, { width = 1280, height = 900, colorScheme = 'light', ...more } = {}) {
  browser ??= await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale: 'en-GB', acceptDownloads: true, ...more });
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => { if (message.type() === 'error') faults.push(`console: ${message.text()}`); });
  page.on('dialog', (dialog) => { faults.push(`a dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== server.url) faults.push(`a request to ${request.url()}`); });
  await page.goto(server.url + where);
  await page.locator('h1').first().waitFor();
  page.faults = faults;
  page.done = async () => { await context.close(); assert.deepEqual(faults, []); };
  return page;
}

/** No serious finding of axe-core; the page is kept as a picture, light and dark. */
export async function looked(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: path.join(process.env.SHOTS, `${name}-${colorScheme}.png`), fullPage: true });
    const found = await runAxe(page);
    const serious = found.violations.filter((one) => ['serious', 'critical'].includes(one.impact));
    assert.deepEqual(serious.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`), [], `${name}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
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
