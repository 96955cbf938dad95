// Addresses and pages: a link changes the page without loading the shell again.

import { useEffect, useState } from './vendor/preact.js';

const listeners = new Set();

/** Goes to an address of this site. */
export function go(where, { replace = false } = {}) {
  history[replace ? 'replaceState' : 'pushState'](null, '', where);
  listeners.forEach((listener) => listener());
}

/** Changes parameters of the address; those that are empty go. */
export function change(parameters, options = { replace: true }) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null || value === '') query.delete(name); else query.set(name, value);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : '') + location.hash, options);
}

/** The address as it is now: `{path, query}`; drawn again when it changes. */
export function useAddress() {
  const now = () => ({ path: location.pathname, query: new URLSearchParams(location.search) });
  const [address, set] = useState(now);
  useEffect(() => {
    const listener = () => set(now());
    listeners.add(listener);
    addEventListener('popstate', listener);
    return () => { listeners.delete(listener); removeEventListener('popstate', listener); };
  }, []);
  return address;
}

/** Finds the page of a path: `{page, values}`. `:name` in a route stands for one part of a path. */
export function find(pages, path) {
  const parts = path.split('/').filter(Boolean);
  for (const page of pages) {
    const wanted = page.path.split('/').filter(Boolean);
    if (wanted.length !== parts.length) continue;
    const values = {};
    const fits = wanted.every((part, at) => {
      if (!part.startsWith(':')) return part === parts[at];
      values[part.slice(1)] = decodeURIComponent(parts[at]);
      return true;
    });
    if (fits) return { page, values };
  }
  return null;
}

/** Follows links inside the site. */
export function followLinks() {
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey
      || event.altKey || link.target || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    const isElsewhere = url.origin !== location.origin || /^\/(api|docs|assets|problems|metrics|openapi\.json)/.test(url.pathname);
    const isHere = url.pathname === location.pathname && url.search === location.search;
    if (isElsewhere || (isHere && url.hash)) return;
    event.preventDefault();
    go(url.pathname + url.search + url.hash);
  });
}
