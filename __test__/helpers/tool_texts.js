/** Texts of the generated files of `tool_history.js`: TypeScript whose imports and calls are known. */

import { posix } from 'node:path';

/**
 * A file that exists. Dependencies are other files, so that a rename of one changes the text of its dependents.
 * @typedef {object} LiveFile
 * @property {number} id
 * @property {string} path
 * @property {'tool' | 'module' | 'test' | 'data'} kind
 * @property {number} level it imports files of lower levels, except in the ring
 * @property {LiveFile[]} imports
 * @property {LiveFile[]} calls
 * @property {Set<LiveFile>} dependents importers and callers, tests included
 * @property {string[]} lines unlike those of all other files
 * @property {string} description
 * @property {string} [decoy] a path that a comment and a text mention
 */

/** @param {string} path */
const stemOf = (path) => path.slice(path.lastIndexOf('/') + 1).replace(/(?:\.test)?\.\w+$/, '');

/**
 * A specifier of one of the forms that resolve to the same file.
 * @param {LiveFile} from
 * @param {LiveFile} to
 */
function specifier(from, to) {
  const relative = posix.relative(posix.dirname(from.path), to.path);
  const dotted = relative.startsWith('.') ? relative : `./${relative}`;
  if (to.kind === 'data') return dotted;
  if (from.id % 11 === 5 && to.path.startsWith('tools/')) return to.path.replace('tools/', '/lib/');
  if (from.id % 2 === 0) return dotted;
  return dotted.endsWith('/index.ts') ? dotted.slice(0, -'/index.ts'.length) : dotted.slice(0, -'.ts'.length);
}

/**
 * @param {LiveFile} from
 * @param {LiveFile} to
 * @param {number} at
 */
function importOf(from, to, at) {
  const name = `${stemOf(to.path)}_${at}`;
  const names = to.kind === 'module' ? `{ apply as ${name} }` : name;
  return `import ${names} from '${specifier(from, to)}';`;
}

/** @param {LiveFile} file */
function decoys({ decoy }) {
  if (decoy === undefined) return [];
  return [
    `// import { apply } from '/lib/${decoy.replace(/^\w+\//, '')}';`,
    `/* tgp.exec_tool('${decoy}', { amount: 1 }) */`,
    `const note = "Was: tgp.exec_tool('${decoy}') and import('/lib/${decoy.replace(/^\w+\//, '')}')";`,
    'const any_tool = (path: string) => tgp.exec_tool(path, { note });',
  ];
}

/**
 * The text of a file.
 * @param {LiveFile} file
 */
export function textOf(file) {
  if (file.kind === 'data') return `${JSON.stringify({ rows: file.lines }, null, 1)}\n`;
  const imports = file.imports.map((to, at) => importOf(file, to, at));
  if (file.kind === 'test') {
    const cases = file.lines.map((line) => `  expect('${line}'.length).toBe(${line.length});`);
    const head = ["import { expect, test } from '@tgp/std/test';", ...imports];
    return `${[...head, '', `test('${file.lines[0]}', () => {`, ...cases, '});'].join('\n')}\n`;
  }
  const used = file.imports.map((to, at) =>
    to.kind === 'data'
      ? `  total += ${stemOf(to.path)}_${at}.rows.length;`
      : `  total += Number(${stemOf(to.path)}_${at}${to.kind === 'module' ? '(total)' : '({ amount: total })'});`,
  );
  const body = file.lines.map((line, at) => `  total += '${line}'.length * ${at + 3};`);
  const calls = file.calls.map(({ path }) => `  await tgp.exec_tool('${path}', { amount: total });`);
  const asynchronous = calls.length > 0 ? 'async ' : '';
  const head =
    file.kind === 'module'
      ? 'export function apply(amount: number): number {\n  let total = amount;'
      : `export default ${asynchronous}function (args: { amount: number }) {\n  let total = args.amount;`;
  const top = [...imports, ...decoys(file), '', `/** ${file.description} */`, head];
  return `${[...top, ...used, ...body, ...calls, '  return total;', '}'].join('\n')}\n`;
}

const SYLLABLES = 'ka vo tu ral me sil pan dor fi lem gar nox bel tis ur wen zo hap cri mund'.split(' ');

/**
 * A deterministic source of choices.
 * @param {number} seed
 */
export function choices(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  /** @param {number} below */
  const number = (below) => Math.floor(next() * below);
  /** @template T @param {readonly T[]} all @returns {T} */
  const one = (all) => /** @type {T} */ (all[number(all.length)]);
  const word = () => one(SYLLABLES) + one(SYLLABLES) + one(SYLLABLES);
  return {
    number,
    one,
    word,
    /** @param {number} probability */
    chance: (probability) => next() < probability,
    line: () => `${word()} ${word()} ${word()} ${number(1e6)} ${word()}`,
  };
}
