/** Paths in documents and in comments of sources: each must exist in the repository. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commentsOfJs } from './js_source.js';
import { commentsOf } from './rust_source.js';

/** @typedef {import('./source_tree.js').SourceFile} SourceFile */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Documents that are not checked: the history, third-party texts, fixtures, and applications with folders of their own. */
const UNCHECKED = /^CHANGELOG\.md$|^(?:vendor|npm|examples|__test__\/fixtures)\//;
/** In backticks, from the top of the repository; no globs and no placeholders. Other files of `tools/` are tools of agents. */
const NAMED = /`((?:src|crates|js|__test__|docs|scripts|benches|types)\/[^`\s*<>{}…]*|tools\/[^`\s*<>{}…]*\.mjs)`/g;
/** The page of a part, and the names of its files there: the ends of their paths, in backticks or not. */
const PART_PAGE = /^docs\/parts\/(\w+)\.md$/;
const OF_PART = /(?<![\w./-])(?!tools\/)((?:\w+\/)*\w+(?:\.\w+)*\.(?:rs|ts|js))\b/g;
/** In comments, in backticks or not: from the top of the repository. */
const IN_COMMENT =
  /(?<![\w./@-])((?:src|crates|js|__test__|docs|scripts|benches|std|shims|sandbox|examples|bin)\/[\w./-]*\w\/?|tools\/\w+\.mjs)/g;
/** The names of files in comments of Rust, and of files in folders in comments of JavaScript: the ends of their paths. */
const ENDS_IN_RUST = /`((?:\w+\/)*\w+\.rs)`/g;
const ENDS_IN_SCRIPTS = /`(?!tools\/)((?:[\w-]+\/)+[\w-]+\.(?:rs|ts|js|mjs|md))`/g;

/** Files of applications that documents name. */
const OF_APPLICATIONS = new Set(['src/tgp/tgp.module.ts']);

/** @returns {string[]} every file of the repository, committed or new */
export function repositoryPaths() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return listed.split('\n').filter((path) => path !== '' && existsSync(join(ROOT, path)));
}

/**
 * @param {string[]} paths
 * @returns {SourceFile[]}
 */
export function documentsAmong(paths) {
  return paths
    .filter((path) => path.endsWith('.md') && !UNCHECKED.test(path))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/**
 * The paths in a document, or in the comments of a source, that do not exist. A path with a slash at its end must be a folder.
 * @param {SourceFile} document
 * @param {string[]} paths
 */
export function missingPaths({ path: from, text }, paths) {
  const isRust = from.endsWith('.rs');
  if (isRust || /\.[cm]?[jt]s$/.test(from)) {
    const comments = isRust ? commentsOf(text) : commentsOfJs(text);
    const ends = missingEnds(comments, isRust ? ENDS_IN_RUST : ENDS_IN_SCRIPTS, paths);
    // In a crate, `src/` may be that of the crate.
    const isEnd = (/** @type {string} */ name) => isRust && paths.some((path) => path.endsWith(`/${name}`));
    const named = missingNames(comments, IN_COMMENT, paths).filter((name) => !isEnd(name));
    return [...new Set([...ends, ...named])];
  }
  const part = PART_PAGE.exec(from)?.[1];
  const isOfPart = (/** @type {string} */ path) => new RegExp(`^(?:(?:crates|src|js)/)?${part}/`).test(path);
  const missing = part === undefined ? [] : missingEnds(text, OF_PART, paths, isOfPart);
  return [...new Set([...missing, ...missingNames(text, NAMED, paths)])];
}

/**
 * @param {string} text
 * @param {RegExp} names of files, or of the ends of their paths
 * @param {string[]} paths
 * @param {(path: string) => boolean} [isOwn] a file that is named by the end of its path
 */
function missingEnds(text, names, paths, isOwn = () => true) {
  const own = paths.filter(isOwn);
  return [...text.matchAll(names)]
    .map((match) => match[1] ?? '')
    .filter((name) => !paths.includes(name) && !own.some((path) => path.endsWith(`/${name}`)));
}

/**
 * @param {string} text
 * @param {RegExp} names of files and folders, from the top of the repository
 * @param {string[]} paths
 */
function missingNames(text, names, paths) {
  const named = [...text.matchAll(names)].map((match) => match[1] ?? '');
  if (named.length === 0) return [];
  const files = new Set(paths);
  const folders = new Set(paths.flatMap(foldersOf));
  return named.filter((path) => {
    if (OF_APPLICATIONS.has(path)) return false;
    return path.endsWith('/') ? !folders.has(path.slice(0, -1)) : !files.has(path) && !folders.has(path);
  });
}

/** Folders of parts that are not `crates/<part>/`. */
const PART_FOLDERS = new Map([
  ['kernel', ['src/kernel/']],
  ['binding', ['src/binding/']],
  ['js', ['js/']],
  ['sql', ['crates/sql/', 'js/sql/']],
]);

/**
 * The bare file names in the layouts of a part's page (`docs/parts/<part>.md`) that no file of the part has.
 * @param {SourceFile} document
 * @param {string[]} paths
 */
export function missingInLayout({ path, text }, paths) {
  const part = /^docs\/parts\/(\w+)\.md$/.exec(path)?.[1];
  if (part === undefined) return [];
  const folders = PART_FOLDERS.get(part) ?? [`crates/${part}/`];
  const own = paths.filter((each) => folders.some((folder) => each.startsWith(folder)));
  const names = new Set(own.map((each) => posix.basename(each)));
  const layouts = [...text.matchAll(/^```\n([\s\S]*?)^```/gm)].map(([, layout]) => layout ?? '').join('\n');
  return [...layouts.matchAll(/(?<![\w./*-])[\w-]+\.(?:rs|ts|js|mjs|md)\b/g)]
    .map(String)
    .filter((name) => !names.has(name));
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function foldersOf(path) {
  const folder = posix.dirname(path);
  return folder === '.' ? [] : [folder, ...foldersOf(folder)];
}
