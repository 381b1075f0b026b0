/** Just enough understanding of Rust text for the architecture rules. */

/**
 * The source without comments and without the content of literals, so that words in them are not taken for code.
 * @param {string} text
 */
export function codeOf(text) {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[^\n]{1,10}?)'/g;
  return text.replace(token, (found) => (found.startsWith('/') ? '' : '""'));
}

/**
 * Whether a file is compiled for tests only.
 * @param {string} path
 */
export function isTestFile(path) {
  return /\/tests(?:\.rs|\/)|_tests\.rs$|\/(?:disk_threats|conformance)\.rs$/.test(path);
}

/**
 * The source up to its test module, which by convention ends the file.
 * @param {string} text
 */
export function withoutTests(text) {
  const start = text.search(/#\[cfg\(test\)\]/);
  return start === -1 ? text : text.slice(0, start);
}

/**
 * The top-level modules of the crate that a file refers to, by `crate::…`, `crate::{…}` or a chain of `super`.
 * @param {string} path
 * @param {string} text
 * @returns {string[]}
 */
export function modulesUsed(path, text) {
  const code = codeOf(text);
  const found = [...code.matchAll(/\bcrate::(\w+)/g)].map((match) => match[1] ?? '');
  for (const match of code.matchAll(/\bcrate::\{/g)) found.push(...groupHeads(code, match.index + match[0].length));
  for (const match of code.matchAll(/\b((?:super::)+)(\w+)/g)) {
    const levels = (match[1] ?? '').length / 'super::'.length;
    const name = match[2] ?? '';
    if (levels === modulePath(path).length && name !== 'super') found.push(name);
  }
  return [...new Set(found)];
}

/**
 * The first name of each member of a `use` group.
 * @param {string} code
 * @param {number} start just behind the opening brace
 */
function groupHeads(code, start) {
  let depth = 0;
  let member = '';
  const members = [];
  for (const letter of code.slice(start)) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (depth < 0) break;
    if (letter === ',' && depth === 0) {
      members.push(member);
      member = '';
    } else member += letter;
  }
  return [...members, member].map((text) => /\w+/.exec(text)?.[0] ?? '').filter(Boolean);
}

/**
 * `src/vfs/disk_vfs.rs` is `vfs::disk_vfs`, `src/vfs/mod.rs` is `vfs`.
 * @param {string} path
 */
export function modulePath(path) {
  const names = path
    .replace(/^src\//, '')
    .replace(/\.rs$/, '')
    .split('/');
  return names.at(-1) === 'mod' ? names.slice(0, -1) : names;
}
