// Texts of the interface in the language that was chosen; one file for each language.

import { settings } from './settings.js';

const texts = {};

/** Loads the texts of all languages: they are small, and a switch needs no waiting. */
export async function load() {
  await Promise.all(['en', 'tr'].map(async (language) => {
    texts[language] = await (await fetch(`/assets/texts/${language}.json`)).json();
  }));
}

/** Returns the text of a key, with `{name}` replaced by values; numbers are written as the language does. */
export function t(key, values = {}) {
  const text = texts[settings.language]?.[key] ?? texts.en?.[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === 'number' ? number(value) : String(value ?? '');
  });
}

/** Whether there is a text of a key. */
export const has = (key) => texts.en?.[key] !== undefined;

export const number = (value, digits) =>
  value === null || value === undefined ? '' : new Intl.NumberFormat(settings.language,
    digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);

export const percent = (value, digits = 0) =>
  value === null || value === undefined ? '' : new Intl.NumberFormat(settings.language,
    { style: 'percent', maximumFractionDigits: digits }).format(value);

/** A time as people write it; what is no time stays as it is. */
export function time(value) {
  if (!value) return '';
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) return String(value);
  const withHours = /[T ]\d/.test(String(value));
  return new Intl.DateTimeFormat(settings.language,
    { dateStyle: 'medium', ...(withHours ? { timeStyle: 'short' } : {}), timeZone: 'UTC' }).format(date);
}
