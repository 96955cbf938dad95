// The frame of all pages: header, navigation, settings, key, and the page that belongs to the address.

import { html, render, useEffect, useErrorBoundary, useRef, useState } from './vendor/preact.js';
import { key, onKeyNeeded } from './api.js';
import { has, load, t } from './i18n.js';
import { PAGES } from './pages/index.js';
import { find, followLinks, useAddress } from './router.js';
import { apply, choose, useSettings } from './settings.js';
import { Announcer, Button, Failure } from './ui.js';

function Switch({ name, values }) {
  const settings = useSettings();
  return html`<label class="switch"><span>${t(`settings.${name}`)}</span>
    <select value=${settings[name]} onChange=${(event) => choose(name, event.target.value)}>
      ${values.map((value) => html`<option value=${value} selected=${settings[name] === value}>${t(`settings.${name}.${value}`)}</option>`)}
    </select></label>`;
}

function Header({ here }) {
  // Open at an address: whoever goes to another finds it closed.
  const [openAt, setOpenAt] = useState(null);
  const isOpen = openAt === here;
  return html`<header class="top">
    <a class="skip" href="#main">${t('skip')}</a>
    <a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="28" height="28"/>Retold</a>
    <button type="button" class="menu" aria-expanded=${isOpen} aria-controls="navigation" onClick=${() => setOpenAt(isOpen ? null : here)}>${t('menu')}</button>
    <nav id="navigation" class=${isOpen ? 'open' : ''} aria-label=${t('menu')}>
      <ul>${PAGES.filter((page) => page.isLinked).map((page) => html`<li><a href=${page.path}
        aria-current=${here === page.path ? 'page' : null}>${t(`page.${page.name}`)}</a></li>`)}
        <li><a href="/docs">${t('page.docs')}</a></li></ul>
      <div class="switches">
        <${Switch} name="language" values=${['en', 'tr']}/>
        <${Switch} name="theme" values=${['auto', 'light', 'dark']}/>
        <${Switch} name="anonymous" values=${['no', 'yes']}/>
      </div>
    </nav>
  </header>`;
}

function KeyForm({ done }) {
  const [value, setValue] = useState('');
  const enter = (event) => { event.preventDefault(); key.set(value.trim()); done(); };
  return html`<form class="card narrow" onSubmit=${enter}>
    <h2>${t('key.title')}</h2><p>${t('key.about')}</p>
    <label>${t('key.label')}<input type="password" autocomplete="off" required value=${value}
      onInput=${(event) => setValue(event.target.value)}/></label>
    <${Button} type="submit" kind="primary">${t('key.enter')}</${Button}>
  </form>`;
}

function Missing() {
  return html`<h1 tabindex="-1">${t('missing.title')}</h1><p>${t('missing.about')} <a href="/">${t('page.start')}</a></p>`;
}

function Guarded({ children }) {
  const [error, reset] = useErrorBoundary((problem) => console.error(problem));
  if (!error) return children;
  return html`<h1 tabindex="-1">${t('failed')}</h1><${Failure} problem=${error} again=${reset}/>`;
}

function App() {
  useSettings();
  const address = useAddress();
  const [needsKey, setNeedsKey] = useState(false);
  const [round, setRound] = useState(0);
  const main = useRef(null);
  const isFirst = useRef(true);
  useEffect(() => onKeyNeeded(() => setNeedsKey(true)), []);
  const found = find(PAGES, address.path);
  const name = found?.page.name;
  useEffect(() => {
    const title = has(`page.${name}`) ? `${t(`page.${name}`)} – Retold` : 'Retold';
    document.title = title;
    if (isFirst.current) { isFirst.current = false; return undefined; }
    // Whoever reads with the ears hears where they are now.
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
    // A heading that waits for an answer gets the focus when it is there, if nobody has moved it meanwhile.
    let timer = 0;
    const look = () => {
      const heading = main.current?.querySelector('h1');
      if (heading && [main.current, document.body].includes(document.activeElement)) heading.focus();
      else if (!heading) timer = setTimeout(look, 50);
    };
    timer = setTimeout(look, 0);
    return () => clearTimeout(timer);
  }, [address.path]);
  const Page = found ? found.page.component : Missing;
  return html`<${Header} here=${address.path}/>
    <main id="main" ref=${main} tabindex="-1" class=${found?.page.isWide ? 'wide' : ''}>
      ${needsKey ? html`<${KeyForm} done=${() => { setNeedsKey(false); setRound(round + 1); }}/>` : null}
      <${Guarded} key=${`${address.path} ${round}`}>
        <${Page} key=${`${address.path} ${round}`} values=${found?.values || {}} query=${address.query}/>
      </${Guarded}>
    </main>
    <footer class="bottom"><p>${t('footer')} · <a href="/openapi.json">OpenAPI</a> · <a href="/problems">${t('footer.problems')}</a></p></footer>
    <${Announcer}/>`;
}

apply();
await load();
followLinks();
document.getElementById('app').replaceChildren();
render(html`<${App}/>`, document.getElementById('app'));
