// What a person has chosen: language, colours, whether names are hidden. Kept in this browser.

import { useEffect, useState } from './vendor/preact.js';

const NAMES = { language: ['en', 'tr'], theme: ['auto', 'light', 'dark'], anonymous: ['no', 'yes'] };

function read(name) {
  let value = null;
  try { value = localStorage.getItem(`retold.${name}`); } catch { /* Storage is off. */ }
  if (NAMES[name].includes(value)) return value;
  if (name === 'language' && navigator.language?.toLowerCase().startsWith('tr')) return 'tr';
  return NAMES[name][0];
}

export const settings = Object.fromEntries(Object.keys(NAMES).map((name) => [name, read(name)]));
const listeners = new Set();

export function choose(name, value) {
  settings[name] = value;
  try { localStorage.setItem(`retold.${name}`, value); } catch { /* Kept until the page is left. */ }
  apply();
  listeners.forEach((listener) => listener());
}

export function apply() {
  document.documentElement.lang = settings.language;
  document.documentElement.dataset.theme = settings.theme;
}

/** Draws a component again when something else is chosen. */
export function useSettings() {
  const [, again] = useState(0);
  useEffect(() => {
    const listener = () => again((n) => n + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return settings;
}

// Names that were replaced get letters in the order of their first appearance.
const letters = new Map();

function letterOf(name) {
  if (!letters.has(name)) {
    let n = letters.size;
    let letter = '';
    do {
      letter = String.fromCharCode(65 + (n % 26)) + letter;
      n = Math.floor(n / 26) - 1;
    } while (n >= 0);
    letters.set(name, letter);
  }
  return letters.get(name);
}

/** Returns a name, an id or a source, or a letter in its place where names are hidden. */
export const shown = (name) => (name && settings.anonymous === 'yes' ? letterOf(String(name)) : name);
