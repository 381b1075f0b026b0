/**
 * Generates from the table of limits (`src/kernel/config/`): `js/boundary/limits.js`, `docs/limits.md`, the comments of the
 * types, and the limits in other pages. Run by the build, so that CI detects stale files.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './process.mjs';

/**
 * @typedef {import('../binding.cjs').BindingLimit} Limit
 * @typedef {{ file: string, type: string }} Declared where users find the keys of a group
 */

/** @type {Record<string, Declared>} */
const DECLARED = {
  sandbox: { file: 'types/config.d.ts', type: 'SandboxConfigInput' },
  fs: { file: 'types/config.d.ts', type: 'FSConfigInput' },
  git: { file: 'types/config.d.ts', type: 'GitConfigInput' },
  agent: { file: 'types/config.d.ts', type: 'AgentConfigInput' },
  ledger: { file: 'types/ledger.d.ts', type: 'LedgerConfigInput' },
  sql: { file: 'types/sql.d.ts', type: 'SqlToolOptions' },
  file_history: { file: 'types/tools.d.ts', type: 'HistoryOptions' },
};
const GROUPS = {
  sandbox: 'Runs: `sandbox`',
  fs: 'Files: `fs`',
  git: 'The remote: `git`',
  agent: 'What a model is given: `agent`',
  ledger: 'What is written down: `ledger`',
  sql: 'SQL tools: the options of `sql` and `createSqlTools`',
  find_tool: 'Arguments of `find_tool`',
  search_files: 'Arguments of `search_files`',
  file_history: 'Arguments of `file_history`',
};
/** Limits without a key. */
const FIXED = [
  ['`network.ca`', 'The file of certificates.', '4 MiB'],
  ['`network.noProxy`, `fs.allowedDirs`, `allowedImports`, `allowedFetchUrls`', 'Entries of each list.', '1000'],
  ['paths, addresses and other texts', 'Characters of each.', '8192'],
];
/** Pages with tables of limits, or with limits and their defaults in the text. */
const PAGES = ['README.md', 'docs/sandbox.md', 'docs/git.md', 'docs/agent_tools.md'];
const LINE_WIDTH = 120;
/** Digits are grouped from this number on. */
const GROUPED_FROM = 10_000;

/**
 * @param {Limit[]} limits
 * @param {string} defaults the default configuration, as JSON
 */
export function writeLimits(limits, defaults) {
  writeFileSync(join(ROOT, 'js', 'boundary', 'limits.js'), limitsModule(limits, defaults));
  writeFileSync(join(ROOT, 'docs', 'limits.md'), limitsPage(limits));
  for (const limit of limits) {
    const declared = DECLARED[limit.group];
    if (declared) rewrite(declared.file, (text) => withLimit(text, declared.type, limit));
  }
  for (const page of PAGES) rewrite(page, (text) => withLimitTables(text, limits));
}

/**
 * @param {string} file
 * @param {(text: string) => string} change
 */
function rewrite(file, change) {
  const path = join(ROOT, file);
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/**
 * @param {Limit[]} limits
 * @param {string} defaults
 * @returns {string} a module
 */
export function limitsModule(limits, defaults) {
  const groups = Object.keys(GROUPS).map((group) => {
    const lines = limits
      .filter((limit) => limit.group === group)
      .map(
        ({ key, default: standard, least, most, about }) =>
          `    ${key}: { default: ${standard}, least: ${least}, most: ${most}, about: ${JSON.stringify(about)} },`,
      );
    return [`  ${group}: {`, ...lines, '  },'].join('\n');
  });
  return `/** Made by scripts/limits.mjs from the tables in src/kernel/config. */\n\nexport const LIMITS = {\n${groups.join('\n')}\n};\n\n/** The configuration that nothing gives. */\nexport const DEFAULTS = ${JSON.stringify(JSON.parse(defaults), null, 2)};\n`;
}

/**
 * @param {Limit[]} limits
 * @returns {string} the page of all limits
 */
export function limitsPage(limits) {
  const parts = Object.entries(GROUPS).flatMap(([group, title]) => {
    const rows = limits
      .filter((limit) => limit.group === group)
      .map((limit) => [`\`${limit.key}\``, limit.about, defaultOf(limit), rangeOf(limit)]);
    return [`## ${title}`, '', ...padded([['key', 'what it bounds', 'default', 'range'], ...rows]), ''];
  });
  const intro =
    'Made by the build from the tables in `src/kernel/config`. A value outside its range is refused by its key.';
  const fixed = [
    '## Of the configuration itself, fixed',
    '',
    ...padded([['key', 'what it bounds', 'limit'], ...FIXED]),
    '',
  ];
  return ['# Limits', '', intro, '', ...parts, ...fixed].join('\n');
}

/**
 * A declaration whose comment of one key ends with the default and the range.
 * @param {string} text
 * @param {string} type
 * @param {Limit} limit
 */
export function withLimit(text, type, limit) {
  const start = text.indexOf(`export type ${type} = {`);
  const end = text.indexOf('\n};', start);
  const member = new RegExp(`  /\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n(?=  ${limit.key}\\?: number;)`);
  const found = start < 0 ? null : member.exec(text.slice(start, end));
  if (!found) throw new Error(`${type} has no documented key "${limit.key}", which is a limit.`);
  const words = (found[1] ?? '')
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const prose = words.replace(/ ?Default: .*$/, '');
  const comment = commented(`${prose} Default: ${defaultOf(limit)}; ${rangeOf(limit)}.`);
  const at = start + found.index;
  return text.slice(0, at) + comment + text.slice(at + found[0].length);
}

/**
 * @param {string} text
 * @returns {string} a comment of a member, in lines that are not too long
 */
function commented(text) {
  const line = `  /** ${text} */\n`;
  if (line.length <= LINE_WIDTH + 1) return line;
  const lines = [''];
  // A link is one word.
  for (const word of text.match(/(?:\{@link [^}]*\}|\S)+/g) ?? []) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && `   * ${last} ${word}`.length > LINE_WIDTH) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return ['  /**', ...lines.map((each) => `   * ${each}`), '   */', ''].join('\n');
}

/**
 * The page with up-to-date tables of limits, and defaults as in `` `fs.fileBytes` (1 MiB) ``.
 * @param {string} text
 * @param {Limit[]} limits
 */
export function withLimitTables(text, limits) {
  const tables = text.replace(/(?:^\|.*\|\n)+/gm, (table) => {
    const group = /^\| `(\w+): \{ … \}`/.exec(table)?.[1];
    if (group === undefined) return table;
    const members = limits.filter((limit) => limit.group === group);
    return `${padded(cellsOf(table).map((row) => withDefaults(row, members))).join('\n')}\n`;
  });
  return tables.replace(/(`(\w+)\.(\w+)`) \([^)]*\)/g, (all, name, group, key) => {
    const limit = limits.find((each) => each.group === group && each.key === key);
    return limit ? `${name} (${defaultOf(limit)}${key.endsWith('Ms') ? ' ms' : ''})` : all;
  });
}

/**
 * @param {string[]} row what it is about, the default, and the rest
 * @param {Limit[]} members of the table's group
 */
function withDefaults([about = '', before = '', ...rest], members) {
  const named = [...about.matchAll(/`(\w+)`/g)].flatMap(([, key]) => members.find((limit) => limit.key === key) ?? []);
  return [about, named.length > 0 ? named.map(defaultOf).join(' / ') : before, ...rest];
}

/**
 * @param {string} table
 * @returns {string[][]} without the line below the heading
 */
function cellsOf(table) {
  const rows = table
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
  return rows.filter((_, index) => index !== 1);
}

/** @param {string[][]} rows the heading first */
function padded(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`);
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)];
}

/** @param {Limit} limit */
function defaultOf(limit) {
  const amount = amountOf(limit.key, limit.default);
  return limit.defaultNote === '' ? amount : `${amount}, ${limit.defaultNote}`;
}

/** @param {Limit} limit */
function rangeOf({ key, least, most }) {
  return `from ${amountOf(key, least)} to ${amountOf(key, most)}`;
}

/**
 * A formatted number.
 * @param {string} key
 * @param {number} value
 */
function amountOf(key, value) {
  if (key.endsWith('Bytes') && value > 0) {
    if (value === 1) return '1 byte';
    const power = Math.min(3, [1, 2, 3].filter((each) => value % 1024 ** each === 0).length);
    return `${value / 1024 ** power} ${['bytes', 'KiB', 'MiB', 'GiB'][power]}`;
  }
  return value < GROUPED_FROM ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, ' ');
}
