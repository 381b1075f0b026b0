/** The page with the resource usage of applications, and the set-ups that were tried, from real runs. */

import { readFile, writeFile } from 'node:fs/promises';
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

const PAGE = new URL('../../../docs/frameworks.md', import.meta.url);
const SETUPS = '## Set-ups, from nothing to the first forged tool';

/** @typedef {{ name: string, versions: string, passed: string, seconds: number }} Setup */

/**
 * Replaces the part of the page about resource usage.
 * @param {Row[]} rows
 */
export async function writeUsage(rows) {
  await writeFile(PAGE, `${await usagePart(rows)}\n${(await parts()).setups}`);
}

/**
 * Updates the part of the page about set-ups. Set-ups that were not run keep their rows.
 * @param {Setup[]} run
 * @param {string[]} names of all set-ups, in their order
 */
export async function writeSetups(run, names) {
  const { usage, setups } = await parts();
  const known = setups
    .split('\n')
    .map((line) => line.replace(/^\| | \|$/g, '').split(' | '))
    .map((cells) => cells.map((cell) => cell.trim()));
  const fresh = run.map(({ name, versions, passed, seconds }) => [name, versions, passed, `${Math.round(seconds)} s`]);
  const rows = names.map((name) => [...fresh, ...known].find(([first]) => first === name));
  const kept = rows.filter((row) => row !== undefined);
  await writeFile(PAGE, `${usage}\n${await setupsPart(kept)}`);
}

async function parts() {
  const [usage = '', setups] = (await readFile(PAGE, 'utf8')).split(`\n${SETUPS}`);
  return { usage, setups: setups === undefined ? '' : `${SETUPS}${setups}` };
}

/** @param {string[][]} cells */
async function setupsPart(cells) {
  return [
    SETUPS,
    '',
    `Written by the same command, with the packed packages (${await ourVersion()}) and Node ${process.versions.node}. Each row starts with an empty folder`,
    'and the command that creates the application, without changes to what it creates: the packages are installed, then come',
    '`tgp init`, what it prints, `tgp doctor`, the build and the start. A scripted model forges a tool and runs it, and reuses it for',
    'the next request. The time includes the installation, from the npm registry and its cache. Package managers:',
    '[first_tool.md](first_tool.md).',
    '',
    ...table(['set-up', 'versions', 'what passed', 'time'], cells),
    '',
  ].join('\n');
}

async function ourVersion() {
  return JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8')).version;
}

/**
 * @param {string[]} columns
 * @param {string[][]} cells
 */
function table(columns, cells) {
  const widths = columns.map((title, column) =>
    Math.max(...[columns, ...cells].map((line) => (line[column] ?? title).length)),
  );
  const line = (/** @type {string[]} */ texts) =>
    `| ${texts.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)];
}

/**
 * @param {Row[]} rows
 * @returns {Promise<string>}
 */
async function usagePart(rows) {
  const cells = rows.map((row) => {
    const course = (/** @type {keyof Counts} */ key) => row.counts.map((counts) => counts[key]).join(' → ');
    return [
      row.name,
      row.version,
      ...[course('processes'), course('workers'), course('threads'), course('files'), course('memoryMb')],
      String(row.left),
    ];
  });
  return [
    '# Frameworks and runtimes',
    '',
    `Written by \`npm run test:frameworks\` from a run of the packed packages (${await ourVersion()}), installed from their tarballs, on`,
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
    ...table(COLUMNS, cells),
    '',
  ].join('\n');
}

function machine() {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Linux ${release()} with ${processors.length} cores (${processors[0]?.model.trim()}) and ${memory} GB of memory`;
}
