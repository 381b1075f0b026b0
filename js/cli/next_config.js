/** The config of a Next.js application: whether it has `withTGP`, and how it gets it. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextAtMost } from '../boundary/bounded_read.js';

/**
 * @typedef {'none' | 'withTGP' | 'named' | 'unprepared'} State `'named'`: only left out of the bundle, by hand
 * @typedef {{ file: string, text: string, state: State }} NextConfig
 * @typedef {{ file: string, effect: 'created' | 'changed' | 'kept', manual?: string[] }} Applied
 * `manual` is what a person has to add
 */

const FILES = ['js', 'mjs', 'ts', 'mts', 'cjs'].map((extension) => `next.config.${extension}`);
const HELPER = '@tgp/core/next';
const IMPORT = `import { withTGP } from '${HELPER}';\n`;
const REQUIRE = `const { withTGP } = require('${HELPER}');\n`;
/** What has to stay on top of a file: a shebang, and comments that TypeScript looks for there. */
const HEADER = /^(?:#!.*\n)?(?:\/\/ *@ts-(?:no)?check.*\n)*/;

/**
 * @param {string} folder
 * @returns {Promise<NextConfig>}
 */
export async function readNextConfig(folder) {
  const file = FILES.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return { file: 'next.config.mjs', text: '', state: 'none' };
  const text = await readTextAtMost(join(folder, file));
  const state = text.includes(HELPER) ? 'withTGP' : text.includes('@tgp/core') ? 'named' : 'unprepared';
  return { file, text, state };
}

/**
 * Wraps what the config exports in `withTGP`. A file that exports in no ordinary way is left as it is.
 * @param {string} folder
 * @param {'ts' | 'js'} language
 * @returns {Promise<Applied>}
 */
export async function applyWithTGP(folder, language) {
  const { file, text, state } = await readNextConfig(folder);
  if (state === 'none') {
    const created = language === 'ts' ? 'next.config.ts' : file;
    await writeFile(join(folder, created), `${IMPORT}\nexport default withTGP({});\n`, { flag: 'wx' });
    return { file: created, effect: 'created' };
  }
  if (state === 'withTGP') return { file, effect: 'kept' };
  const wrapped = await wrap(text);
  if (wrapped === undefined) {
    const manual = [`Add to ${file}:`, `  ${IMPORT.trim()}`, '  export default withTGP(yourConfig);'];
    return { file, effect: 'kept', manual };
  }
  await writeFile(join(folder, file), wrapped);
  return { file, effect: 'changed' };
}

/**
 * @param {string} text
 * @returns {Promise<string | undefined>} undefined when it is not of a form that can be changed safely
 */
export async function wrap(text) {
  const body = await parse(text);
  if (!body) return undefined;
  const exported = body.map(exportOf).filter((found) => found !== undefined);
  const [only] = exported;
  if (only === undefined || exported.length > 1) return undefined;
  const { start, end, form } = only;
  const firstImport = body.find(({ type }) => type === 'ImportDeclaration')?.start;
  const top = firstImport ?? HEADER.exec(text)?.[0].length ?? 0;
  const line = form === 'esm' ? IMPORT : REQUIRE;
  const wrapped =
    text.slice(0, top) +
    line +
    (firstImport === undefined ? '\n' : '') +
    `${text.slice(top, start)}withTGP(${text.slice(start, end)})${text.slice(end)}`;
  return (await parse(wrapped)) ? wrapped : undefined;
}

/**
 * @param {string} text
 * @returns {Promise<any[] | undefined>}
 */
async function parse(text) {
  const { parseAst } = await import('rolldown/parseAst');
  try {
    return parseAst(text, { lang: 'ts' }).body;
  } catch {
    return undefined;
  }
}

/**
 * Where the value of `export default` or `module.exports =` is.
 * @param {any} statement
 * @returns {{ start: number, end: number, form: 'esm' | 'cjs' } | undefined}
 */
function exportOf({ type, declaration, expression }) {
  if (type === 'ExportDefaultDeclaration') {
    return { start: declaration.start, end: declaration.end, form: 'esm' };
  }
  if (
    type === 'ExpressionStatement' &&
    expression.type === 'AssignmentExpression' &&
    isModuleExports(expression.left)
  ) {
    return { start: expression.right.start, end: expression.right.end, form: 'cjs' };
  }
  return undefined;
}

/** @param {any} target */
function isModuleExports({ type, object, property }) {
  return type === 'MemberExpression' && object.name === 'module' && property.name === 'exports';
}
