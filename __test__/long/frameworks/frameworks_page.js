/** The page with the resource usage of applications, from a real run. */

import { readFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';

/**
 * @typedef {import('../../../tools/process_counts.mjs').Counts} Counts
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
    `${machine()}, with Node ${process.versions.node} unless`,
    'another runtime is named.',
    '',
    '- A server creates one kernel, forges a tool and runs it once per request, four requests at a time. Counts include the application',
    '  and all processes it started: after the first answer → after 40 requests → after 400.',
    '- In a test runner, ten tests forge and run a tool. Counts are those of the test process, with the number of its children: before',
    '  the kernel is created → after the last test → after `shutdown()`.',
    '- "Left after its end" counts processes of the application that still run after SIGTERM, and after a second start and SIGKILL.',
    '- Memory is resident memory; shared memory is counted for each process. The test allows growth between the last two counts only',
    '  for open connections, uncollected garbage, and a second worker for concurrent requests.',
    '- The memory of a worker levels off after some hundred runs, at its first garbage collection.',
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
