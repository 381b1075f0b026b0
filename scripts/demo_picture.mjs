/**
 * Draws `docs/demo.svg`: the terminal output of a real `npm run demo`, with selected acts.
 *
 * node scripts/demo_picture.mjs
 */

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { captureIn, ROOT } from '../tools/process.mjs';
import { HUE, PALETTE } from '../tools/svg.mjs';

/** The selected acts, by the first word of their heading. */
const SHOWN = ['Forge', 'Reuse'];
const LETTER = 7.25;
const ROW = 18;
const MARGIN = 18;
const BAR = 34;
/** Wide enough for every line. */
const COLUMNS = 118;

/** The class of a line, by its beginning; the first group has it. */
const KINDS = [
  { pattern: /^(\$ .*)/, kind: `f${HUE.green}` },
  { pattern: /^( {2}user) /, kind: `f${HUE.blue}` },
  { pattern: /^( {2}model) /, kind: `f${HUE.violet}` },
  { pattern: /^( {7}✓) /, kind: `f${HUE.green}` },
  { pattern: /^( {7}✗) /, kind: `f${HUE.red}` },
  { pattern: /^( {9}.*|….*)/, kind: 'small' },
];

/**
 * The lines of the demo's output to show, with a note where acts are left out.
 * @param {string} output
 * @returns {string[]}
 */
export function shownLines(output) {
  const done = /^Done in .*$/m.exec(output)?.[0];
  const lines = ['$ npx tgp demo'];
  /** @type {Set<string>} */
  const omitted = new Set();
  const note = () => {
    if (omitted.size > 0) lines.push('', `… (not shown: ${[...omitted].join(', ')})`);
    omitted.clear();
  };
  for (const part of output.split(/\n\n+/).map((text) => text.trim())) {
    if (SHOWN.some((word) => part.startsWith(word))) {
      note();
      lines.push('', ...part.split('\n'));
    } else {
      const [, act] = /^([A-Z]\w+): /.exec(part) ?? [];
      if (act !== undefined) omitted.add(act);
    }
  }
  note();
  return [...lines, '', ...(done ? [done] : [])];
}

/**
 * @param {string[]} lines
 * @returns {string} an SVG picture of a terminal
 */
export function terminal(lines) {
  const width = Math.round(COLUMNS * LETTER + 2 * MARGIN);
  const height = BAR + lines.length * ROW + MARGIN;
  const rows = lines.map((line, row) => {
    const y = BAR + (row + 1) * ROW - 4;
    const heading = /^[A-Z][\w ]+: /.test(line) ? ' class="heading"' : '';
    return `<text x="${MARGIN}" y="${y}"${heading} xml:space="preserve">${coloured(line)}</text>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Excerpt of the demo in a terminal: an agent forges a tool, repairs it, runs it and uses it again">`,
    `<style>${PALETTE}text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}.heading{font-weight:700}</style>`,
    `<rect class="paper grid" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...[HUE.red, HUE.amber, HUE.green].map(
      (hue, at) => `<circle cx="${MARGIN + at * 18}" cy="18" r="5.5" class="f${hue}"/>`,
    ),
    `<text x="${width / 2}" y="22" text-anchor="middle" class="small">npx tgp demo (excerpt)</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

/** @param {string} line */
function coloured(line) {
  const kind = KINDS.find(({ pattern }) => pattern.test(line));
  const first = kind?.pattern.exec(line)?.[1] ?? '';
  if (kind === undefined) return escaped(line);
  return `<tspan class="${kind.kind}">${escaped(first)}</tspan>${escaped(line.slice(first.length))}`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const output = captureIn(tmpdir(), process.execPath, [join(ROOT, 'bin', 'tgp.js'), 'demo']);
  writeFileSync(join(ROOT, 'docs', 'demo.svg'), terminal(shownLines(output)));
}
