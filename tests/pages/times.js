// How long pages take to open in a browser: node times.js SERVER ADDRESS SELECTOR [ADDRESS SELECTOR...]
//
// Each is opened in a new window, without what the browser keeps of others. Printed is a line of JSON for each: the
// milliseconds until the selector is drawn, and the longest time that anything kept the page from answering.

import { execFileSync } from 'node:child_process';
import { chromium } from 'playwright-core';

const [server, ...rest] = process.argv.slice(2);
const which = (name) => { try { return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim(); } catch { return ''; } };
const executablePath = process.env.CHROMIUM || which('chromium') || which('chromium-browser') || which('google-chrome');
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
// The browser itself has to be awake.
await (await browser.newPage()).goto(`${server}/problems`);
for (let at = 0; at < rest.length; at += 2) {
  const [where, selector] = [rest[at], rest[at + 1]];
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript((wanted) => {
    window.longest = 0;
    new PerformanceObserver((list) => { for (const one of list.getEntries()) window.longest = Math.max(window.longest, one.duration); }).observe({ type: 'longtask', buffered: true });
    const look = () => { if (document.querySelector(wanted)) requestAnimationFrame(() => { window.opened = performance.now(); }); else requestAnimationFrame(look); };
    look();
  }, selector);
  await page.goto(server + where);
  await page.waitForFunction(() => window.opened);
  // What is still under way may block, too.
  await page.waitForLoadState('networkidle');
  const { opened, longest } = await page.evaluate(() => ({ opened: Math.round(window.opened), longest: Math.round(window.longest) }));
  console.log(JSON.stringify({ where, selector, opened, longest }));
  await context.close();
}
await browser.close();
