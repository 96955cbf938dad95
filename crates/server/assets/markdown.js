// Reports in Markdown as elements: headings, paragraphs, quotes, lists, tables, pictures. Whatever else stands there
// stays text.

import { html } from './vendor/preact.js';

/** Bold and code inside a line. */
function inline(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith('**') && part.length > 4) return html`<strong>${part.slice(2, -2)}</strong>`;
    if (part.startsWith('`') && part.length > 2) return html`<code>${part.slice(1, -1)}</code>`;
    return part;
  });
}

const cells = (line) => line.replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());

function table(lines) {
  const [head, rule, ...rows] = lines.map(cells);
  const right = (rule || []).map((cell) => cell.endsWith(':'));
  const label = head.join(', ');
  return html`<div class="scroll limited" tabindex="0" role="region" aria-label=${label}><table><thead><tr>${head.map((cell, n) => html`<th scope="col" class=${right[n] ? 'number' : ''}>${inline(cell)}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell, n) => html`<td class=${right[n] ? 'number' : ''}>${inline(cell)}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** Elements of a report; `picture(file, alt)` shows a picture beside it. Its first title is left out. */
export function Markdown({ text, picture }) {
  const blocks = text.split(/\n{2,}/).map((block) => block.trim()).filter(Boolean);
  return html`<div class="docs">${blocks.map((block) => {
    const lines = block.split('\n');
    const heading = /^(#{1,4}) (.*)$/.exec(lines[0]);
    // The title stands above the report already.
    if (heading && heading[1].length === 1) return null;
    if (heading && lines.length === 1) return heading[1].length === 2 ? html`<h3>${inline(heading[2])}</h3>` : html`<h4>${inline(heading[2])}</h4>`;
    const image = /^!\[([^\]]*)\]\(([^)]+)\)$/.exec(block);
    if (image) return picture(image[2], image[1]);
    if (lines.length > 1 && lines.every((line) => line.startsWith('|'))) return table(lines);
    if (lines.every((line) => line.startsWith('>'))) return html`<blockquote>${inline(lines.map((line) => line.slice(1).trim()).join(' '))}</blockquote>`;
    if (lines.every((line) => /^[-*] /.test(line))) return html`<ul>${lines.map((line) => html`<li>${inline(line.slice(2))}</li>`)}</ul>`;
    return html`<p>${inline(lines.join(' '))}</p>`;
  })}</div>`;
}
