/** Cycles of files that import one another: none of them can be understood, moved or tested without all the others. */

import { posix } from 'node:path';
import { codeOf, isRustSource, isTestFile, modulePath } from './rust_source.js';

/** @typedef {import('./source_tree.js').SourceFile} SourceFile */
/** @typedef {Map<string, Set<string>>} Imports from a file to the files that it imports */

/**
 * The import cycles among files: each a sorted list of paths.
 * @param {SourceFile[]} files
 * @returns {string[][]}
 */
export function importCircles(files) {
  return circlesOf(importsOf(files));
}

/**
 * The import cycles among the entries of a folder, where all files in a subfolder count as that subfolder.
 * @param {SourceFile[]} files
 * @returns {string[][]}
 */
export function folderCircles(files) {
  const imports = importsOf(files);
  const folders = new Set([...imports.keys()].flatMap(foldersAbove));
  return [...folders].sort().flatMap((folder) => {
    /** @param {string} path */
    const neighbour = (path) => path.slice(0, `${path}/`.indexOf('/', folder.length + 1));
    /** @type {Imports} */
    const collapsed = new Map();
    for (const [path, targets] of imports) {
      if (!path.startsWith(`${folder}/`)) continue;
      const found = collapsed.get(neighbour(path)) ?? new Set();
      for (const target of targets) if (target.startsWith(`${folder}/`)) found.add(neighbour(target));
      collapsed.set(neighbour(path), found);
    }
    return circlesOf(collapsed);
  });
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function foldersAbove(path) {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

/**
 * @param {SourceFile[]} files
 * @returns {Imports}
 */
function importsOf(files) {
  return new Map([...rustImports(files), ...scriptImports(files)]);
}

/**
 * @param {SourceFile[]} files
 * @returns {Imports}
 */
function scriptImports(files) {
  const scripts = files.filter(({ path }) => /^(?:js\/.*\.ts|bin\/.*\.js)$/.test(path));
  const known = new Set(scripts.map(({ path }) => path));
  return new Map(
    scripts.map(({ path, text }) => {
      const named = [...text.matchAll(/^(?:import|export)(?! type\b)[^;]*?\bfrom '(\.[^']+)'|^import '(\.[^']+)'/gm)];
      const targets = named.map((match) => sourceOf(posix.join(posix.dirname(path), match[1] ?? match[2] ?? '')));
      return [path, new Set(targets.filter((target) => known.has(target)))];
    }),
  );
}

/**
 * The TypeScript source of an imported module.
 * @param {string} path
 */
function sourceOf(path) {
  return path.replace(/^(js|dist)\/(.*)\.js$/, 'js/$2.ts');
}

/**
 * @param {SourceFile[]} files
 * @returns {Imports}
 */
function rustImports(files) {
  const rust = files.filter(({ path }) => isRustSource(path) && !isTestFile(path));
  /** @type {Map<string, { path: string, uses: { names: string[], exported: boolean }[], inline: string[][] }>} */
  const modules = new Map();
  for (const { path, text } of rust) {
    const own = modulePath(path);
    modules.set(own.join('::'), { path, ...pathsIn(own, codeOf(testless(text))) });
  }

  /**
   * The file in which a name is defined, through re-exports.
   * @param {string[]} names
   * @param {number} hops
   * @returns {string | undefined}
   */
  const definedIn = (names, hops = 0) => {
    let length = names.length;
    while (length > 0 && !modules.has(names.slice(0, length).join('::'))) length -= 1;
    const found = modules.get(names.slice(0, length).join('::'));
    const item = names[length];
    const handedOn = item && found?.uses.find(({ exported, names: used }) => exported && used.at(-1) === item);
    return handedOn && hops < 8 ? definedIn(handedOn.names, hops + 1) : found?.path;
  };

  return new Map(
    [...modules.values()].map(({ path, uses, inline }) => {
      const named = [...uses.filter(({ exported }) => !exported).map(({ names }) => names), ...inline];
      const targets = named.map((names) => definedIn(names)).filter((target) => target !== undefined);
      return [path, new Set(targets.filter((target) => target !== path))];
    }),
  );
}

/**
 * The source without code that is compiled for tests only: single lines anywhere, and the module at the end.
 * @param {string} text
 */
function testless(text) {
  const attributes = /#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*/.source;
  return text
    .replace(new RegExp(`${attributes}(?:pub(?:\\([^)]*\\))?\\s+)?(?:use\\s[^;]*|mod\\s+\\w+);`, 'g'), '')
    .replace(new RegExp(`${attributes}mod\\s+\\w+\\s*\\{[\\s\\S]*$`), '');
}

/**
 * The paths of our crates that a file uses, in full: by `use`, and within code.
 * @param {string[]} own the file's module
 * @param {string} code
 */
function pathsIn(own, code) {
  const isFolder = /^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+;/m.test(code);
  const uses = [...code.matchAll(/^[ \t]*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);/gm)].flatMap((match) =>
    expanded(match[2] ?? '').flatMap((names) => {
      const whole = absolute(own, names, isFolder);
      return whole ? [{ names: whole, exported: match[1] !== undefined }] : [];
    }),
  );
  const rest = code.replace(/^[ \t]*(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]+;/gm, '');
  const inline = [...rest.matchAll(/\b(?:crate|self|super|tgp_\w+)(?:::\w+)+/g)].flatMap((match) => {
    const whole = absolute(own, match[0].split('::'), isFolder);
    return whole ? [whole] : [];
  });
  return { uses, inline };
}

/**
 * @param {string[]} own
 * @param {string[]} names
 * @param {boolean} isFolder whether a name without a root may be one of the file's own modules
 * @returns {string[] | undefined} with the crate first; nothing for crates of others
 */
function absolute(own, names, isFolder) {
  const [first = '', ...rest] = names;
  if (first === 'crate') return [...own.slice(0, 1), ...rest];
  if (first.startsWith('tgp_')) return names;
  if (first === 'self') return [...own, ...rest];
  if (first !== 'super') return isFolder ? [...own, ...names] : undefined;
  let base = own;
  let left = names;
  while (left[0] === 'super') {
    base = base.slice(0, -1);
    left = left.slice(1);
  }
  return [...base, ...left];
}

/**
 * `a::{b, c::D as E}` is `a::b` and `a::c::D`.
 * @param {string} tree
 * @returns {string[][]}
 */
function expanded(tree) {
  const text = tree.trim();
  const open = text.indexOf('{');
  if (open === -1) {
    const names = (text.split(/\s+as\s+/)[0] ?? '').split('::').map((name) => name.trim());
    return names.at(-1) === 'self' || names.at(-1) === '*' ? [names.slice(0, -1)] : [names];
  }
  const prefix = text
    .slice(0, open)
    .split('::')
    .map((name) => name.trim())
    .filter(Boolean);
  return members(text.slice(open + 1, text.lastIndexOf('}'))).flatMap((member) =>
    expanded(member).map((names) => [...prefix, ...names]),
  );
}

/** @param {string} group */
function members(group) {
  let depth = 0;
  let member = '';
  const found = [];
  for (const letter of group) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (letter === ',' && depth === 0) {
      found.push(member);
      member = '';
    } else member += letter;
  }
  return [...found, member].filter((text) => text.trim());
}

/**
 * Files that reach one another (Tarjan's strongly connected components).
 * @param {Imports} imports
 */
function circlesOf(imports) {
  /** @type {Map<string, number>} */
  const order = new Map();
  /** @type {Map<string, number>} */
  const lowest = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const circles = [];
  /** @param {string} file */
  const visit = (file) => {
    order.set(file, order.size);
    lowest.set(file, order.get(file) ?? 0);
    open.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (open.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(target) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1) circles.push(circle.sort());
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return circles.sort();
}
