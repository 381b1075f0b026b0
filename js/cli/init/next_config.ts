/** Reads the config of a Next.js application, and adds `withTGP` to it. */

import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readTextAtMost } from '../../boundary/bounded_read.js';

type Program = ReturnType<typeof import('rolldown/parseAst').parseAst>;
type Statement = Program['body'][number];
type Assignment = Extract<
  Extract<Statement, { type: 'ExpressionStatement' }>['expression'],
  { type: 'AssignmentExpression' }
>;
/** `'named'`: excluded from the bundle by hand. */
type NextConfigState = 'none' | 'withTGP' | 'named' | 'unprepared';
type NextConfigFile = { file: string; text: string; state: NextConfigState };
/** `manual` is what the user has to add by hand. */
type Applied = { file: string; effect: 'created' | 'changed' | 'kept'; manual?: string[] };

const FILES = ['js', 'mjs', 'ts', 'mts', 'cjs'].map((extension) => `next.config.${extension}`);
const HELPER = '@tgp/core/next';
const IMPORT = `import { withTGP } from '${HELPER}';\n`;
const REQUIRE = `const { withTGP } = require('${HELPER}');\n`;
/** The head of a file that must stay first: a shebang, and comments for TypeScript. */
const HEADER = /^(?:#!.*\n)?(?:\/\/ *@ts-(?:no)?check.*\n)*/;

/** The config file of the application and whether it uses `withTGP`. */
export async function readNextConfig(folder: string): Promise<NextConfigFile> {
  const file = FILES.find((name) => existsSync(join(folder, name)));
  if (file === undefined) return { file: 'next.config.mjs', text: '', state: 'none' };
  const text = await readTextAtMost(join(folder, file));
  const state = text.includes(HELPER) ? 'withTGP' : text.includes('@tgp/core') ? 'named' : 'unprepared';
  return { file, text, state };
}

/** Wraps the exported config in `withTGP`. A file with an unusual export is not changed. */
export async function applyWithTGP(folder: string, language: 'ts' | 'js'): Promise<Applied> {
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

/** @returns undefined if the file cannot be changed safely */
export async function wrap(text: string): Promise<string | undefined> {
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

async function parse(text: string): Promise<Statement[] | undefined> {
  const { parseAst } = await import('rolldown/parseAst');
  try {
    return parseAst(text, { lang: 'ts' }).body;
  } catch {
    return undefined;
  }
}

/** The position of the value of `export default` or `module.exports =`. */
function exportOf(statement: Statement): { start: number; end: number; form: 'esm' | 'cjs' } | undefined {
  if (statement.type === 'ExportDefaultDeclaration') {
    const { start, end } = statement.declaration;
    return { start, end, form: 'esm' };
  }
  if (statement.type !== 'ExpressionStatement') return undefined;
  const { expression } = statement;
  if (expression.type !== 'AssignmentExpression' || !isModuleExports(expression.left)) return undefined;
  return { start: expression.right.start, end: expression.right.end, form: 'cjs' };
}

function isModuleExports(target: Assignment['left']) {
  if (target.type !== 'MemberExpression') return false;
  const { object, property } = target;
  return nameOf(object) === 'module' && nameOf(property) === 'exports';
}

function nameOf(node: { type: string; name?: unknown }) {
  return node.type === 'Identifier' ? node.name : undefined;
}
