/** Generates docs/api.md from the public type declarations. Run by the build, so that CI detects a stale page. */

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../tools/process.mjs';

/**
 * @typedef {object} Entry one exported declaration
 * @property {string} name
 * @property {'Functions' | 'Classes' | 'Types' | 'Schemas'} kind
 * @property {string} doc the text of its comment, empty when it has none
 * @property {string} code as it is declared
 * @property {{ name: string, doc: string }[]} members of a class
 */

/** @type {Record<string, string>} */
const SOURCES = {
  '@tgp/core': 'dist/declarations/index.d.ts',
  '@tgp/core/next': 'dist/declarations/next.d.ts',
  '@tgp/core/mcp': 'dist/declarations/mcp.d.ts',
};
/** @type {Record<string, Entry['kind']>} */
const KINDS = {
  TSDeclareFunction: 'Functions',
  ClassDeclaration: 'Classes',
  TSTypeAliasDeclaration: 'Types',
  VariableDeclaration: 'Schemas',
};

/**
 * All exported declarations of a declaration file.
 * @param {string} text
 * @returns {Promise<Entry[]>}
 */
export async function readDeclarations(text) {
  const { parseAst } = await import('rolldown/parseAst');
  const { body } = /** @type {{ body: any[] }} */ (/** @type {unknown} */ (parseAst(text, { lang: 'dts' })));
  return body
    .filter(({ type, declaration }) => type === 'ExportNamedDeclaration' && declaration)
    .map(({ start, end, declaration }) => ({
      name: declaration.id?.name ?? declaration.declarations[0].id.name,
      kind: kindOf(declaration.type),
      doc: commentBefore(text, start),
      code: text.slice(start, end),
      members: declaration.type === 'ClassDeclaration' ? membersOf(text, declaration.body.body) : [],
    }));
}

/**
 * All exports of a module, including re-exports.
 * @param {string} file below the root
 * @returns {Promise<Entry[]>}
 */
export async function readModule(file) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const others = [...text.matchAll(/^export (?:type )?(\*|\{[^}]*\}) from '(\.\/.*)\.js';$/gm)];
  const handedOn = await Promise.all(
    others.map(async ([, names = '', path]) => {
      const entries = await readModule(join(dirname(file), `${path}.d.ts`));
      const exported = new Set(names.match(/\w+/g));
      return names === '*' ? entries : entries.filter(({ name }) => exported.has(name));
    }),
  );
  return [...(await readDeclarations(text)), ...handedOn.flat()];
}

/** @param {string} type */
function kindOf(type) {
  const kind = KINDS[type];
  if (kind === undefined) throw new Error(`The API reference does not support the declaration ${type} yet.`);
  return kind;
}

/**
 * @param {string} text
 * @param {any[]} members
 */
function membersOf(text, members) {
  return members
    .filter(({ kind }) => kind !== 'constructor')
    .map(({ key, start }) => ({ name: text.slice(key.start, key.end), doc: commentBefore(text, start) }));
}

/**
 * The text of the documentation comment that ends right before `position`.
 * @param {string} text
 * @param {number} position
 */
function commentBefore(text, position) {
  const comment = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text.slice(0, position))?.[1] ?? '';
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim();
}

/**
 * GitHub's anchors for headings: lower case, numbered for duplicates.
 * @param {string[]} names in the order of the page
 */
function anchorsOf(names) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return new Map(
    names.map((name) => {
      const anchor = name.toLowerCase();
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return [name, before === 0 ? anchor : `${anchor}-${before}`];
    }),
  );
}

/** @returns {Promise<string>} the whole reference */
export async function apiReference() {
  const parts = ['# API reference', '', 'Generated from the declarations by the build. Do not edit.', ''];
  for (const [module, file] of Object.entries(SOURCES)) {
    const entries = await readModule(file);
    const anchors = anchorsOf([...new Set(entries.map(({ name }) => name))]);
    parts.push(`## \`${module}\``, '');
    for (const kind of ['Functions', 'Classes', 'Types', 'Schemas']) {
      const ofKind = entries.filter((entry) => entry.kind === kind);
      if (ofKind.length === 0) continue;
      const names = [...new Set(ofKind.map(({ name }) => name))];
      parts.push(`${kind}: ${names.map((name) => `[${name}](#${anchors.get(name)})`).join(', ')}`, '');
    }
    for (const name of anchors.keys()) {
      parts.push(
        `### ${name}`,
        '',
        ...entries
          .filter((entry) => entry.name === name)
          .flatMap(({ doc, code }) => [...prose(doc, anchors), ...['```ts', code, '```', '']]),
      );
    }
  }
  return parts.join('\n');
}

/**
 * A comment as Markdown: links within the page, examples as code, tags as a list.
 * @param {string} doc
 * @param {Map<string, string>} anchors
 * @returns {string[]}
 */
function prose(doc, anchors) {
  const [text = '', ...tags] = doc.split(/^(?=@)/m);
  const linked = (/** @type {string} */ words) =>
    words.replace(
      /\{@link (\w+)(\.\w+)?\}/g,
      (_, name, member = '') => `[\`${name}${member}\`](#${anchors.get(name)})`,
    );
  const examples = tags.filter((tag) => tag.startsWith('@example'));
  const others = tags.filter((tag) => !tag.startsWith('@example'));
  return [
    ...(text === '' ? [] : [linked(text.trim()), '']),
    ...others.map(
      (tag) =>
        `- ${linked(
          tag
            .trim()
            .replace(/^@(\w+)\s*/, '*$1* ')
            .replaceAll('\n', '\n  '),
        )}`,
    ),
    ...(others.length > 0 ? [''] : []),
    ...examples.flatMap((tag) => ['```ts', tag.replace('@example', '').trim(), '```', '']),
  ];
}

/** Writes the reference. */
export async function writeApiReference() {
  writeFileSync(join(ROOT, 'docs', 'api.md'), await apiReference());
}
