/** Generates docs/api.md and the pages of docs/api/ from the public type declarations. Run by the build, so that CI detects stale pages. */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../tools/process.mjs';

/**
 * @typedef {object} Entry one exported declaration
 * @property {string} name
 * @property {'Functions' | 'Classes' | 'Types' | 'Schemas'} kind
 * @property {string} doc the text of its comment, empty when it has none
 * @property {string} code as it is declared
 * @property {{ name: string, doc: string }[]} members of a class
 * @property {string} [file] that declares it
 */

/** The modules of the package: the declarations, and the pages by topic, each with the files that it documents. */
const MODULES = [
  {
    name: '@tgp/core',
    file: 'dist/declarations/index.d.ts',
    pages: {
      kernel: ['The kernel', 'kernel/tgp', 'types/kernel', 'types/confinement', 'types/memory'],
      config: ['Configuration', 'kernel/config', 'types/config', 'types/network', 'types/secrets'],
      runs: ['Runs, functions and files', 'types/runs', 'types/dry_run', 'types/functions', 'types/files', 'files'],
      agent_tools: ['Tools for agents', 'agent_tools/tgp_tools', 'types/tools', 'tool_shape'],
      providers: ['Formats of providers', 'agent_tools/provider_formats', 'agent_tools/tool_call', 'types/adapters'],
      agent: ['The agent', 'agent', 'types/agent'],
      sql: ['SQL', 'agent_tools/sql_tools', 'sql', 'types/sql'],
      shell: ['System programs', 'agent_tools/shell_tools', 'types/shell'],
      policy: ['Policy', 'kernel/policy', 'kernel/approvals', 'types/policy'],
      ledger: ['Ledger', 'types/ledger', 'types/chronicle', 'boundary/canonical_json'],
      guardian: ['Guardian', 'types/guardian'],
      graph: ['Graph', 'types/graph'],
      tests: ['Tests of tools', 'types/tests'],
      telemetry: ['Telemetry', 'types/telemetry'],
      errors: ['Errors', 'boundary/errors', 'types/errors'],
    },
  },
  { name: '@tgp/core/next', file: 'dist/declarations/next.d.ts', pages: { next: ['Next.js', ''] } },
  { name: '@tgp/core/mcp', file: 'dist/declarations/mcp.d.ts', pages: { mcp: ['MCP', ''] } },
];
const KIND_ORDER = /** @type {const} */ (['Functions', 'Classes', 'Types', 'Schemas']);
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
  return [...(await readDeclarations(text)).map((entry) => ({ ...entry, file })), ...handedOn.flat()];
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

/**
 * @typedef {object} Page
 * @property {string} module
 * @property {string} path below `docs/`
 * @property {string} title
 * @property {Entry[]} entries
 */

/**
 * The entries of a module by page. Every file belongs to one page, so that no name is missing.
 * @param {typeof MODULES[number]} module
 * @returns {Promise<Page[]>}
 */
async function pagesOf({ name: module, file: top, pages }) {
  const folder = `${dirname(top)}/`;
  const topics = Object.entries(pages).map(([stem, [title = '', ...files]]) => ({ stem, title, files }));
  /** @type {Map<string, Entry[]>} */
  const found = new Map(topics.map(({ stem }) => [stem, []]));
  for (const entry of await readModule(top)) {
    const file = String(entry.file).slice(folder.length);
    const topic = topics.find(({ files }) => files.some((/** @type {string} */ prefix) => file.startsWith(prefix)));
    if (topic === undefined) throw new Error(`No page of the API reference documents ${file}: add it to MODULES.`);
    found.get(topic.stem)?.push(entry);
  }
  return topics.map(({ stem, title }) => ({ module, path: `api/${stem}.md`, title, entries: found.get(stem) ?? [] }));
}

/** @returns {Promise<Record<string, string>>} the whole reference: texts by path below `docs/`, the index first */
export async function apiReference() {
  const pages = (await Promise.all(MODULES.map(pagesOf))).flat();
  /** Where each name is documented, by module. @type {Map<string, Map<string, string>>} */
  const places = new Map(MODULES.map(({ name }) => [name, new Map()]));
  for (const { module, path, entries } of pages) {
    for (const [name, anchor] of anchorsOf(namesOf(entries))) places.get(module)?.set(name, `${path}#${anchor}`);
  }
  const index = ['# API reference', '', 'Generated from the declarations by the build. Do not edit.', ''];
  for (const { name } of MODULES) {
    index.push(`## \`${name}\``, '');
    for (const { module, path, title, entries } of pages) {
      if (module === name) index.push(`### [${title}](${path})`, '', ...overview(entries, places.get(name)));
    }
  }
  const texts = pages.map(({ module, path, title, entries }) => {
    const linked = new Map([...(places.get(module) ?? [])].map(([name, place]) => [name, relativeTo(path, place)]));
    const parts = [
      `# API: ${title}`,
      '',
      `Part of the [API reference](../api.md) of \`${module}\`. Generated from the declarations by the build. Do not edit.`,
      '',
      ...overview(entries, linked),
    ];
    for (const name of namesOf(entries)) {
      const ofName = entries.filter((entry) => entry.name === name);
      const described = ofName.flatMap(({ doc, code }) => [...prose(doc, linked), '```ts', code, '```', '']);
      parts.push(`## ${name}`, '', ...described);
    }
    return [path, parts.join('\n')];
  });
  return Object.fromEntries([['api.md', index.join('\n')], ...texts]);
}

/** @param {Entry[]} entries */
function namesOf(entries) {
  return [...new Set(entries.map(({ name }) => name))];
}

/**
 * @param {string} page a path below `docs/`
 * @param {string} place a path with an anchor
 */
function relativeTo(page, place) {
  return place.startsWith(`${page}#`) ? place.slice(page.length) : place.replace(/^api\//, '');
}

/**
 * The names of a page by kind, as links.
 * @param {Entry[]} entries
 * @param {Map<string, string> | undefined} places
 */
function overview(entries, places) {
  return KIND_ORDER.flatMap((kind) => {
    const names = namesOf(entries.filter((entry) => entry.kind === kind));
    if (names.length === 0) return [];
    return [`${kind}: ${names.map((name) => `[${name}](${places?.get(name)})`).join(', ')}`, ''];
  });
}

/**
 * A comment as Markdown: links to other names, examples as code, tags as a list.
 * @param {string} doc
 * @param {Map<string, string>} places
 * @returns {string[]}
 */
function prose(doc, places) {
  const [text = '', ...tags] = doc.split(/^(?=@)/m);
  const linked = (/** @type {string} */ words) =>
    words.replace(/\{@link (\w+)(\.\w+)?\}/g, (_, name, member = '') => `[\`${name}${member}\`](${places.get(name)})`);
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

/** Writes the reference, and removes pages that no longer exist. */
export async function writeApiReference() {
  const docs = join(ROOT, 'docs');
  const pages = await apiReference();
  rmSync(join(docs, 'api'), { recursive: true, force: true });
  mkdirSync(join(docs, 'api'));
  for (const [path, text] of Object.entries(pages)) writeFileSync(join(docs, path), text);
}
