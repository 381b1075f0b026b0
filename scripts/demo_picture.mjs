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

/** The selected acts, by the first word of their heading. */
const SHOWN = ['Forge', 'Reuse', 'Survive', 'What is left'];
const LETTER = 7.25;
const ROW = 18;
const MARGIN = 18;
const BAR = 34;
/** Wide enough for every line. */
const COLUMNS = 118;

/** The style of a line, by its beginning; the first group is coloured. */
const KINDS = [
  { pattern: /^(\$ .*)/, colour: '#7ee787' },
  { pattern: /^( {2}user) /, colour: '#79c0ff' },
  { pattern: /^( {2}model) /, colour: '#d2a8ff' },
  { pattern: /^( {7}✓) /, colour: '#7ee787' },
  { pattern: /^( {7}✗) /, colour: '#ff7b72' },
  { pattern: /^( {9}.*)/, colour: '#8b949e' },
  { pattern: /^( {2}[0-9a-f]{7}) /, colour: '#e3b341' },
];

/**
 * The lines of the demo's output to show.
 * @param {string} output
 * @returns {string[]}
 */
export function shownLines(output) {
  const acts = output.split(/\n\n+/).filter((part) => SHOWN.some((word) => part.trimStart().startsWith(word)));
  const done = /^Done in .*$/m.exec(output)?.[0];
  return ['$ npx tgp demo', ...acts.flatMap((act) => ['', ...act.trim().split('\n')]), '', ...(done ? [done] : [])];
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
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="The demo in a terminal: an agent forges a tool, repairs it, runs it and uses it again">`,
    '<style>text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3}.heading{font-weight:700}</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${MARGIN + at * 18}" cy="18" r="5.5" fill="${fill}"/>`,
    ),
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
  return `<tspan fill="${kind.colour}">${escaped(first)}</tspan>${escaped(line.slice(first.length))}`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const output = captureIn(tmpdir(), process.execPath, [join(ROOT, 'bin', 'tgp.js'), 'demo']);
  writeFileSync(join(ROOT, 'docs', 'demo.svg'), terminal(shownLines(output)));
}
