/** docs/start_here.md: everything that it names exists, and each recipe lists every file of the product that names its example. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { repositoryPaths } from '../helpers/document_paths.js';
import { isTestFile, withoutTests } from '../helpers/rust_source.js';

/**
 * @typedef {import('../helpers/source_tree.js').SourceFile} SourceFile
 * @typedef {object} Recipe
 * @property {string} title
 * @property {string} example
 * @property {RegExp[]} names every spelling of the example
 * @property {Record<string, RegExp>} [implied] files that it must list though they do not name the example, each with what makes it
 * part of the recipe
 * @property {Record<string, string>} unlisted files that name the example and need no change for a new one, with the reason
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = 'docs/start_here.md';
const MAX_WORDS = 200;
/** Crates in `crates/` that are not parts. */
const NO_PARTS = ['base', 'fuzzing', 'launcher'];

/** @type {Recipe[]} */
const RECIPES = [
  {
    title: 'Add a kernel tool',
    example: 'list_files',
    names: [/\blist_files\b/, /\bListFiles(?:Args|Params)\b/],
    implied: {
      'src/kernel/config/limit_table.rs': /"search_files", vec!/,
      'scripts/limits.mjs': /search_files: '/,
    },
    unlisted: {
      // Tools in the sandbox have a function of this name.
      'crates/sandbox/src/engine/isolate/bootstrap/tgp.js': 'the function of guests',
      'js/prompt/sandbox_api.ts': 'the function of guests, generated',
      'js/prompt/sandbox_facts.ts': 'the function of guests',
      'sandbox/tgp.d.ts': 'the function of guests',
      'src/kernel/runs/requests/guest_call.rs': 'the function of guests',
      'src/kernel/runs/outcome/run_conclusion.rs': 'the function of guests',
      'src/kernel/runs/sandbox_host.rs': 'the function of guests',
      'std/test_host.ts': 'the function of guests',
      'crates/compile/src/imports/restricted_import.rs': 'a message that advises to use it',
      'crates/compile/src/rules/no_forbidden_globals.rs': 'a message that advises to use it',
      'crates/vfs/src/vfs_error.rs': 'a message that advises to use it',
      'js/prompt/prompt_text.ts': 'advice for models on how to work; it does not list all tools',
      'js/cli/commands/change_commands.ts': 'a call that is always of this tool',
      'js/cli/commands/history_commands.ts': 'a call that is always of this tool',
      'js/cli/doctor/unsupported_files.ts': 'a call that is always of this tool',
      'js/cli/workspace/workspace.ts': 'a call that is always of this tool',
      'js/mcp/bearer.ts': 'a call that is always of this tool',
      'js/mcp/resources.ts': 'a call that is always of this tool',
      'src/kernel/tools/tool_registry.rs': 'a private method with the same name',
    },
  },
  {
    title: 'Add a limit',
    example: 'queueMs',
    names: [/queue_?(?:ms|time)/i],
    unlisted: {
      'crates/sandbox/src/engine/control/engine_control.rs': 'the statistic `queueMs` of a run',
      'crates/sandbox/src/pool/active_run.rs': 'the statistic `queueMs` of a run',
      'crates/sandbox/src/run_end.rs': 'the statistic `queueMs` of a run',
      'js/types/runs.ts': 'the statistic `queueMs` of a run',
    },
  },
  {
    title: 'Add an error code',
    example: 'ERR_DUPLICATE',
    names: [/\bERR_DUPLICATE\b/, /\bErrorCode::Duplicate\b/, /\bDuplicateError\b/],
    unlisted: {},
  },
  {
    title: 'Add an event type of the ledger',
    example: 'RETENTION',
    names: [/\bRETENTION\b/, /\bEventType::Retention\b/],
    unlisted: { 'crates/ledger/src/export/export.rs': 'another reader of these events' },
  },
  {
    title: 'Add a CLI command',
    example: 'doctor',
    names: [/\bdoctor\b/],
    unlisted: {
      'js/cli/init/init.ts': 'advises to run it',
      'js/cli/doctor/doctor_root.ts': 'a part of this command',
      'src/kernel/files/open_root.rs': 'advises to run it',
    },
  },
  {
    title: 'Add an SQL dialect',
    example: 'mysql',
    // Comparisons with another dialect decide what happens in a new one.
    names: [/mysql|mariadb/i, /\bDialect::[A-Z]\w+/],
    implied: {
      'crates/sql/src/rules/verb.rs': /"PRAGMA" => SqlVerb::Show/,
      'crates/sql/src/rules/known_functions.rs': /functions that all three databases have/i,
    },
    unlisted: {
      'crates/sql/src/sqlite/authorizer.rs': 'concerns only the embedded SQLite',
      'src/binding/binding_kernel.rs': 'the default: an unknown database',
      'src/binding/crossing.rs': 'an example value',
      'src/kernel/door/door.rs': 'the default: an unknown database',
      'src/kernel/host_functions.rs': 'the default: an unknown database',
    },
  },
];

/** Files of recipes that do not name the example: a helper, a default that fits it, and names in camel case. */
const GENERAL = [
  'js/cli/terminal/screen.ts',
  'js/cli/workspace/workspace.ts',
  'js/cli/commands/ledger_text.ts',
  'js/boundary/crossing.ts',
];

/** What is shipped, and what makes it; other files only use it. */
const PRODUCT =
  /^(?:bin|crates|js|sandbox|scripts|shims|src|std|tools|types)\/|^[^/]+\.(?:js|ts|cts|cjs|json|toml|rs)$/;
/** The lock file, and the second set of packages, which is kept as it was written by others. */
const NOT_WRITTEN = /^package-lock\.json$|^tools\/package_jobs\/second_set\//;
/** A comment, or a string, which may hold the beginning of a comment. */
const TOKEN = /\/\*[\s\S]*?\*\/|(?<![:\w])\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
/** Types in comments are code. */
const JSDOC_TYPE = /@\w+ \{[^\n]*\}/g;
const SPAN = /`([^`\n]+)`/g;
const FILE = /^(?:[\w.-]+\/)+[\w.-]+$|^[\w-]+\.(?:js|json|md)$/;
const FOLDER = /^(?:[\w.-]+\/)+$/;
const COMMAND = /^(?:npm|npx|cargo|node|git|bash) /;

const paths = repositoryPaths();
const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8');
const page = read(PAGE);
const [intro = '', ...sections] = page.split(/^## /m);
const products = paths
  .filter((path) => PRODUCT.test(path) && !isTestFile(path) && !NOT_WRITTEN.test(path))
  .map((path) => ({ path, text: read(path) }));

/** @param {string} text */
const spansOf = (text) => [...text.replace(/^```[\s\S]*?^```/gm, '').matchAll(SPAN)].map(([, span]) => String(span));

/** @param {string} title */
const filesOf = (title) =>
  spansOf(sections.find((section) => section.startsWith(`${title}\n`)) ?? '').filter((span) => FILE.test(span));

/**
 * The source without comments, except types, and without the test module.
 * @param {SourceFile} file
 */
function codeOf({ path, text }) {
  const own = path.endsWith('.rs') ? withoutTests(text) : text;
  return own.replace(TOKEN, (token) => {
    if (token.startsWith('//')) return '';
    return token.startsWith('/*') ? (token.match(JSDOC_TYPE) ?? []).join('\n') : token;
  });
}

/**
 * The files that name the example of a recipe, but are neither in its list nor known to need no change.
 * @param {Recipe} recipe
 * @param {SourceFile[]} files
 */
function missingIn({ title, names, unlisted }, files) {
  const known = new Set([...filesOf(title), ...Object.keys(unlisted)]);
  return files
    .filter((file) => !known.has(file.path) && names.some((name) => name.test(codeOf(file))))
    .map(({ path }) => path);
}

describe('the page', () => {
  test('has a short text, and the recipes', () => {
    const prose = intro.replace(/^```[\s\S]*?^```/gm, '').replace(/\]\([^)]*\)/g, ']');
    expect(prose.match(/[\w`*]\S*/g)?.length).toBeLessThanOrEqual(MAX_WORDS);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(RECIPES.map(({ title }) => title));
  });

  test('has the picture of ARCHITECTURE.md, with every part', () => {
    const picture = /^```\n[\s\S]*?^```/m.exec(page)?.[0] ?? '';
    expect(picture).toContain('src/kernel/');
    expect(read('ARCHITECTURE.md').includes(picture)).toBe(true);
    const parts = /^crates\/ ( .*?) {3,}parts:/m.exec(picture)?.[1]?.trim().split(/\s+/) ?? [];
    const crates = readdirSync(join(ROOT, 'crates')).filter((name) => paths.includes(`crates/${name}/Cargo.toml`));
    expect(parts.sort()).toEqual(crates.filter((name) => !NO_PARTS.includes(name)).sort());
  });

  test('names only files and folders that exist', () => {
    const links = [...page.matchAll(/\]\(([^)#]+)/g)].map(([, link]) =>
      new URL(String(link), `file:///${PAGE}`).pathname.slice(1),
    );
    const files = [...spansOf(page).filter((span) => FILE.test(span)), ...links];
    expect(files.length).toBeGreaterThan(60);
    expect(files.filter((file) => !paths.includes(file))).toEqual([]);
    const folders = spansOf(page).filter((span) => FOLDER.test(span));
    expect(folders.filter((folder) => !paths.some((path) => path.startsWith(folder)))).toEqual([]);
  });

  test('names only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const crates = paths
      .filter((path) => /^(?:crates\/\w+\/)?Cargo\.toml$/.test(path))
      .map((path) => /^name = "([\w-]+)"/m.exec(read(path))?.[1]);
    /** @type {[RegExp, (word: string) => boolean][]} */
    const known = [
      [/^npm (?:run )?([\w:-]+)$/, (script) => Object.hasOwn(scripts, script)],
      [/^npx vitest run (.+)$/, (files) => files.split(' ').every((file) => paths.includes(file))],
      [/^cargo nextest run -p (.+)$/, (names) => names.split(' -p ').every((name) => crates.includes(name))],
    ];
    const commands = spansOf(page).filter((span) => COMMAND.test(span));
    expect(commands.length).toBeGreaterThan(10);
    const unknown = commands.filter((command) => {
      const [form, exists] = known.find(([each]) => each.test(command)) ?? [];
      return !exists?.(form?.exec(command)?.[1] ?? '');
    });
    expect(unknown).toEqual([]);
  });

  test.each(['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'])('is linked from %s', (document) => {
    expect(read(document).includes(`](${PAGE})`)).toBe(true);
  });
});

describe.each(RECIPES)('$title', (recipe) => {
  const { title, example, names, implied = {}, unlisted } = recipe;
  const listed = filesOf(title);

  test('names its example, and how to check a new one', () => {
    const section = sections.find((each) => each.startsWith(`${title}\n`)) ?? '';
    expect(section).toContain(`Example: \`${example}\``);
    expect(section).toMatch(/^Correct if these pass: `/m);
  });

  test('lists every file that names the example', () => {
    expect(missingIn(recipe, products)).toEqual([]);
  });

  test('lists every file that it implies', () => {
    expect(Object.keys(implied).filter((path) => !listed.includes(path))).toEqual([]);
    expect(Object.entries(implied).filter(([path, part]) => !part.test(read(path)))).toEqual([]);
  });

  test('lists no other file', () => {
    const general = [...GENERAL, ...Object.keys(implied)];
    const others = listed.filter((path) => !general.includes(path) && !names.some((name) => name.test(read(path))));
    expect(others).toEqual([]);
    const named = products.filter((file) => names.some((name) => name.test(codeOf(file)))).map(({ path }) => path);
    expect(Object.keys(unlisted).filter((path) => !named.includes(path) || listed.includes(path))).toEqual([]);
  });

  test('is incomplete when one more file names the example', () => {
    const { text } = products.find(({ path }) => path === listed[0]) ?? { text: '' };
    expect(missingIn(recipe, [{ path: 'js/kernel/sixth_place.ts', text: `const a = '${example}';` }])).toHaveLength(1);
    expect(missingIn(recipe, [{ path: 'crates/base/src/sixth_place.rs', text }])).toHaveLength(1);
    expect(missingIn(recipe, [{ path: 'js/kernel/sixth_place.ts', text: `/** ${example} */\n// ${example}` }])).toEqual(
      [],
    );
    expect(missingIn(recipe, [{ path: 'js/kernel/sixth_place.ts', text: `let a: '${example}';` }])).toHaveLength(1);
  });
});

/** @param {string} path @param {RegExp} list @param {RegExp} entry */
const listIn = (path, list, entry) =>
  [...(list.exec(read(path))?.[1] ?? '').matchAll(entry)].map(([, name]) => String(name)).sort();

describe('a list that is written more than once has the same entries everywhere', () => {
  test('event types', () => {
    const types = listIn('crates/ledger/src/event/event_type.rs', /as_str\(self\)([\s\S]*?)\n {4}}/, /"(\w+)"/g);
    expect(types).toContain('RETENTION');
    expect(listIn('js/kernel/ledger/ledger_schemas.ts', /const TYPES = ([\s\S]*?)\]/, /'(\w+)'/g)).toEqual(types);
    expect(listIn('js/types/ledger.ts', /type LedgerEventType =([\s\S]*?);/, /'(\w+)'/g)).toEqual(types);
    for (const type of types) expect(read('docs/ledger.md')).toContain(`\`${type}\``);
  });

  test('dialects', () => {
    const dialects = listIn('js/boundary/crossing.ts', /type Dialect =([^;]*);/, /"(\w+)"/g);
    expect(dialects).toContain('mysql');
    expect(listIn('js/types/sql.ts', /type SqlDialect =([^;]*);/, /'(\w+)'/g)).toEqual(dialects);
    expect(listIn('js/sql/dialects.ts', /const DIALECTS([\s\S]*?)\n};/, /^ {2}(\w+): {/gm)).toEqual(dialects);
  });

  test('commands', () => {
    const main = `${read('js/cli/main.ts')}${read('js/cli/agent/agent_commands.ts')}`;
    const commands = [...main.matchAll(/(?<![.\w])command\(\s*'([\w-]+)/g)].map(([, name]) => String(name));
    expect(commands).toContain('doctor');
    for (const command of commands) expect(read('docs/cli.md')).toMatch(new RegExp(`^\\| \`tgp ${command}\\b`, 'm'));
  });
});
