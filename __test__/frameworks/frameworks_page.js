/** The page of what applications cost, from a real run. */

import { readFile } from 'node:fs/promises';

/**
 * @typedef {import('../helpers/process_counts.js').Counts} Counts
 * @typedef {{ name: string, before: Counts, after: Counts, left: number }} Row
 */

const COLUMNS = [
  'application',
  'processes',
  'of them workers',
  'descriptors',
  'memory, MB',
  'processes left after its end',
];

/**
 * @param {Row[]} rows
 * @returns {Promise<string>}
 */
export async function frameworksPage(rows) {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const span = (/** @type {Row} */ { before, after }, /** @type {keyof Counts} */ key) =>
    `${before[key]} → ${after[key]}`;
  const cells = rows.map((row) => [
    row.name,
    span(row, 'processes'),
    span(row, 'workers'),
    span(row, 'files'),
    span(row, 'memoryMb'),
    String(row.left),
  ]);
  const widths = COLUMNS.map((title, column) =>
    Math.max(...[COLUMNS, ...cells].map((line) => (line[column] ?? title).length)),
  );
  const line = (/** @type {string[]} */ texts) =>
    `| ${texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [
    '# Frameworks and runtimes',
    '',
    `Written by \`npm run test:frameworks\` from a run of the packed packages (${version}) on Linux, with Node ${process.versions.node}`,
    'where nothing else is named. Each application forges a tool and runs it for 40 requests, four at a time; the test runners run',
    'ten tests. Counted are the application and all that it has started: after the first answer → after the last one; for a test',
    'runner, before its kernel is made → after the shutdown. Memory is resident, with what processes share counted for each.',
    '',
    line(COLUMNS),
    line(widths.map((width) => '-'.repeat(width))),
    ...cells.map(line),
    '',
  ].join('\n');
}
