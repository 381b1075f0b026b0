/** Names of exported types in js/: one name for one thing. */

/** @typedef {import('./source_tree.js').SourceFile} SourceFile */

const EXPORTED = /^export (?:declare |abstract )*(?:type|interface|class|enum) (\w+)/gm;
/** Generated from Rust. The types of the public API, and of callers, have the same names for the same things. */
const CROSSING = 'js/boundary/crossing.ts';
/** Types outside js/types/ that are the JavaScript side of a type of the crossing. */
const CROSSED = ['Caller'];
/** Names that are still defined twice: the call of a policy, and the preview of a call for one. */
const NOT_YET = ['PolicyCall'];

/**
 * The names of exported types that several files define, each with the files.
 * @param {SourceFile[]} files
 */
export function repeatedTypes(files) {
  /** @type {Map<string, string[]>} */
  const places = new Map();
  for (const { path, text } of files.filter(({ path }) => /^js\/.*\.ts$/.test(path))) {
    for (const [, name = ''] of text.matchAll(EXPORTED)) places.set(name, [...(places.get(name) ?? []), path]);
  }
  return [...places]
    .map(([name, paths]) => ({ name, paths: paths.filter((path) => !isSameThing(name, path, paths)) }))
    .filter(({ name, paths }) => paths.length > 1 && !NOT_YET.includes(name))
    .map(({ name, paths }) => `${name}: ${paths.join(', ')}`);
}

/**
 * Whether a definition is the other side of one in the crossing.
 * @param {string} name
 * @param {string} path
 * @param {string[]} paths
 */
function isSameThing(name, path, paths) {
  return paths.includes(CROSSING) && (path.startsWith('js/types/') || CROSSED.includes(name));
}
