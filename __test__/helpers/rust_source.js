/** Minimal parsing of Rust for the architecture rules. */

/** A comment or a literal. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|\bb?r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\[^\n]{1,10}?)'/g;

/**
 * The comments of Rust, one per line.
 * @param {string} text
 */
export function commentsOf(text) {
  return (text.match(TOKEN) ?? []).filter((token) => token.startsWith('/')).join('\n');
}

/**
 * The source without comments and without the content of literals, so that words in them are not taken for code.
 * @param {string} text
 */
export function codeOf(text) {
  return text.replace(TOKEN, (found) => (found.startsWith('/') ? '' : '""'));
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
  const start = text.search(/#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*mod \w+ \{/);
  return start === -1 ? text : text.slice(0, start);
}

/** @param {string} path */
export function isRustSource(path) {
  return /^(?:crates\/\w+\/)?src\/.*\.rs$/.test(path);
}

/**
 * The crate of a file and its place there: `crates/vfs/src/disk_vfs.rs` is `tgp_vfs::disk_vfs`, `src/kernel/mod.rs` is
 * `tgp_core::kernel`.
 * @param {string} path
 */
export function modulePath(path) {
  const [, part = 'core', inside = ''] = /^(?:crates\/(\w+)\/)?src\/(.*)\.rs$/.exec(path) ?? [];
  const names = [`tgp_${part}`, ...inside.split('/')];
  return ['mod', 'lib'].includes(names.at(-1) ?? '') ? names.slice(0, -1) : names;
}
