// Two texts side by side, without a collection.

import { html, useState } from '../vendor/preact.js';
import { post } from '../api.js';
import { t } from '../i18n.js';
import { Button, CopyAs, Failure, Field, relation } from '../ui.js';
import { SideBySide, facts } from './side.js';

export function Compare() {
  const [texts, setTexts] = useState(['', '']);
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState(null);
  const body = { a: { text: texts[0] }, b: { text: texts[1] }, offsets: 'utf16' };
  const compare = (event) => {
    event.preventDefault();
    post('/compare', body).then((answer) => { setTold({ answer, texts }); setProblem(null); }, setProblem);
  };
  const set = (n) => ({ target: { value } }) => setTexts((before) => before.map((text, at) => (at === n ? value : text)));
  const pair = told && { ...told.answer, a_words: told.answer.words[0], b_words: told.answer.words[1] };
  return html`<h1 tabindex="-1">${t('page.compare')}</h1><p>${t('about.compare')}</p>
    <form onSubmit=${compare}><div class="two">${[0, 1].map((n) => html`<${Field} label=${t(n ? 'compare.b' : 'compare.a')}><textarea required value=${texts[n]} onInput=${set(n)}></textarea></${Field}>`)}</div>
      <p><${Button} type="submit" kind="primary">${t('page.compare')}</${Button}></p></form><${Failure} problem=${problem}/>
    ${told ? html`<h2>${told.answer.relation ? relation(told.answer.relation) : t('compare.none')}</h2><ul>${facts(pair).slice(1).map((fact) => html`<li>${fact}</li>`)}</ul>
      <${SideBySide} key=${told.texts.join('\n')} a=${{ id: 'a', text: told.texts[0], markup: 'plain' }} b=${{ id: 'b', text: told.texts[1], markup: 'plain' }} passages=${told.answer.passages}/>` : null}
    <${CopyAs} command="retold compare a.txt b.txt" request=${{ method: 'POST', path: '/api/v1/compare', body: { ...body, a: { text: texts[0].slice(0, 100) }, b: { text: texts[1].slice(0, 100) } } }}/>`;
}
