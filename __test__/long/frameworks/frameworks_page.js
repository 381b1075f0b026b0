/** The page of what applications cost, from a real run. */

import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';

/**
 * @typedef {import('../../helpers/process_counts.js').Counts} Counts
 * @typedef {{ name: string, version: string, counts: Counts[], left: number }} Row
 */

const COLUMNS = [
  'application',
  'version',
  'processes',
  'of them workers',
  'threads',
  'descriptors',
  'memory, MB',
  'left after its end',
];

/**
 * @param {Row[]} rows
 * @returns {Promise<string>}
 */
export async function frameworksPage(rows) {
  const { version } = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
  const cells = rows.map((row) => {
    const course = (/** @type {keyof Counts} */ key) => row.counts.map((counts) => counts[key]).join(' → ');
    return [
      row.name,
      row.version,
      ...[course('processes'), course('workers'), course('threads'), course('files'), course('memoryMb')],
      String(row.left),
    ];
  });
  const widths = COLUMNS.map((title, column) =>
    Math.max(...[COLUMNS, ...cells].map((line) => (line[column] ?? title).length)),
  );
  const line = (/** @type {string[]} */ texts) =>
    `| ${texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [
    '# Frameworks and runtimes',
    '',
    `Written by \`npm run test:frameworks\` from a run of the packed packages (${version}), installed from their tarballs, on`,
    `${machine()}, with Node ${process.versions.node} where`,
    'nothing else is named.',
    '',
    '- A server makes one kernel, forges a tool and runs it once for each request, four requests at a time. Counted is the',
    '  application with all that it has started: after the first answer → after 40 requests → after 400.',
    '- In a test runner, ten tests forge and run a tool. Counted is the process of the tests, with the number of its children:',
    '  before the kernel is made → after the last test → after `shutdown()`.',
    '- "Left after its end" are processes of the application that still run after it was told to end (SIGTERM), and after it',
    '  was started once more and killed (SIGKILL).',
    '- Memory is resident; what processes share is counted for each. The test allows no growth between the last two counts but',
    '  that of connections that are kept open, of what waits to be collected, and of a second worker for requests at one time.',
    '- The memory of a worker levels off after some hundred runs, when its garbage is collected for the first time.',
    '',
    line(COLUMNS),
    line(widths.map((width) => '-'.repeat(width))),
    ...cells.map(line),
    '',
  ].join('\n');
}

function machine() {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Linux ${release()} with ${processors.length} cores (${processors[0]?.model.trim()}) and ${memory} GB of memory`;
}
