/** The page with the resource usage of applications, and the set-ups that were tried, from real runs. */

import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import { RUNNERS } from './applications.js';

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
const MANAGERS = new URL('../../../docs/first_tool.md', import.meta.url);
/** The row of an application after its files were edited. */
export const EDITED = 'the same, after 24 edits of the route';
const USAGE = '## Resource usage';
const SETUPS = '## Set-ups, from nothing to the first forged tool';
const SERVED = 'start, a tool forged and run, 400 requests, shutdown; no process left after SIGTERM or SIGKILL';
const TESTED = 'ten tests that forge and run a tool; no process left, descriptors and threads back';

/** @typedef {{ name: string, versions: string, passed: string, seconds: number }} Setup */

/**
 * Replaces the part of the page about resource usage.
 * @param {Row[]} rows
 */
export async function writeUsage(rows) {
  await writePage(await usagePart(rows), (await parts()).setups);
}

/**
 * Updates the part of the page about set-ups. Set-ups that were not run keep their rows.
 * @param {Setup[]} run
 * @param {string[]} names of all set-ups, in their order
 */
export async function writeSetups(run, names) {
  const { usage, setups } = await parts();
  const known = cellsOf(setups);
  const fresh = run.map(({ name, versions, passed, seconds }) => [name, versions, passed, `${Math.round(seconds)} s`]);
  const rows = names.map((name) => [...fresh, ...known].find(([first]) => first === name));
  const kept = rows.filter((row) => row !== undefined);
  await writePage(usage, await setupsPart(kept));
}

async function parts() {
  const page = await readFile(PAGE, 'utf8');
  const [at, setupsAt] = [page.indexOf(USAGE), page.indexOf(SETUPS)];
  return { usage: page.slice(at, setupsAt).trimEnd(), setups: page.slice(setupsAt) };
}

/**
 * @param {string} usage
 * @param {string} setups
 */
async function writePage(usage, setups) {
  await writeFile(PAGE, `${await summary(usage, setups)}\n${usage.trimEnd()}\n\n${setups}`);
}

/**
 * The beginning of the page: each set-up once, with what passed.
 * @param {string} usage
 * @param {string} setups
 */
async function summary(usage, setups) {
  const runners = RUNNERS.map(({ name }) => name);
  const served = cellsOf(usage)
    .filter(([name]) => name !== EDITED)
    .map(([name = '', version = '']) => [name, version, runners.includes(name) ? TESTED : SERVED]);
  const created = cellsOf(setups).map(([name = '', versions = '', passed = '']) => [name, versions, passed]);
  const managers = cellsOf(await readFile(MANAGERS, 'utf8')).map(([name = '', version = '']) => [
    name,
    version,
    'installation into an empty folder, and a program that forges a tool and runs it',
  ]);
  const rows = [...created, ...served, ...managers];
  return [
    '# Frameworks and runtimes',
    '',
    `${rows.length} set-ups, each with the packed packages as a user installs them, and what passed there. Package managers:`,
    '[first_tool.md](first_tool.md); the others: the two sections below, written by `npm run test:frameworks`.',
    '',
    ...table(['set-up', 'versions', 'what passed'], rows),
    '',
  ].join('\n');
}

/** The rows of the only table in a text. @param {string} text */
function cellsOf(text) {
  const rows = text.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) =>
    line
      .replace(/^\| | \|$/g, '')
      .split(' | ')
      .map((cell) => cell.trim()),
  );
}

/** @param {string[][]} cells */
async function setupsPart(cells) {
  return [
    SETUPS,
    '',
    `Written by the same command, with the packed packages (${await ourVersion()}) and Node ${process.versions.node}. Each set-up starts with an empty`,
    'folder and the command that creates the application, without changes to what it creates: the packages are installed, then come',
    '`tgp init`, what it prints, `tgp doctor`, the build and the start. A scripted model forges a tool and runs it, and reuses it for',
    'the next request. A row is from the latest run of its set-up. The time includes the installation, from the npm registry and its',
    'cache, and grows with other load on the machine. `next build` gets a local font where Google Fonts cannot be reached.',
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
    USAGE,
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
