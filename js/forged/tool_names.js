/** Names by which models call forged tools: what every provider takes, and never two tools with one name. */

import { createHash } from 'node:crypto';

const MAX_NAME_CHARS = 64;
const MIN_HASH_CHARS = 8;

/** Names that forged tools must not take over; a test holds them against the tools themselves. */
export const KERNEL_TOOL_NAMES = [
  'list_files',
  'read_file',
  'write_file',
  'patch_file',
  'apply_diff',
  'delete_file',
  'move_file',
  'revert_file',
  'search_files',
  'find_tool',
  'file_history',
  'check_tool',
  'test_tool',
  'exec_tool',
  'run_code',
  'exec_sql',
  'describe_schema',
];

/**
 * The name of each tool: `reports_downgrade` for `tools/reports/downgrade.ts`. It depends on the paths alone. Of tools that
 * would share a name none gets it: each is told apart by a hash of its path, so that a name never changes its meaning. Tools
 * whose letters had to be made plain take no name from one that is written so.
 * @param {string[]} paths
 * @param {Iterable<string>} [reserved] names that are taken
 * @returns {Map<string, string>} names by path
 */
export function toolNames(paths, reserved = KERNEL_TOOL_NAMES) {
  const plain = paths.map(plainName);
  const all = counted(plain);
  const ascii = counted(plain.filter((_name, index) => isAscii(paths[index])));
  const used = new Set(reserved);
  const free = plain.map((name, index) => {
    const isSole = (isAscii(paths[index]) ? ascii : all).get(name) === 1;
    return isSole && name.length <= MAX_NAME_CHARS && !used.has(name) && !(name in Object.prototype);
  });
  for (const [index, name] of plain.entries()) if (free[index]) used.add(name);
  return new Map(
    paths.map((path, index) => {
      const name = plain[index] ?? '';
      if (free[index]) return [path, name];
      const distinct = distinctName(name, path, used);
      used.add(distinct);
      return [path, distinct];
    }),
  );
}

/** @param {string} [path] */
function isAscii(path = '') {
  return /^[\x20-\x7e]*$/.test(path);
}

/** @param {string[]} names @returns {Map<string, number>} how often each is wanted */
function counted(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** @param {string} path */
function plainName(path) {
  const name = path
    .replace(/^tools\//, '')
    .replace(/\.[^./]+$/, '')
    .replace(/\/index$/, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-zA-Z0-9-]+/g, '_')
    .replace(/^_+|_+$/g, '');
  // Some providers want a letter first.
  return /^[a-zA-Z]/.test(name) ? name : name === '' ? 'tool' : `tool_${name}`;
}

/**
 * @param {string} name
 * @param {string} path
 * @param {Set<string>} used
 */
function distinctName(name, path, used) {
  const hash = createHash('sha256').update(path).digest('hex');
  for (let length = MIN_HASH_CHARS; ; length++) {
    const distinct = `${name.slice(0, MAX_NAME_CHARS - 1 - length)}_${hash.slice(0, length)}`;
    if (!used.has(distinct)) return distinct;
  }
}
