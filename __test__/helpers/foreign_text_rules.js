/**
 * Untrusted text is parsed within a budget, and not on the application's thread: lists of the synchronous functions of the
 * binding, and of the files with parsers that may take more than linear time.
 */

import { codeOf, isRustSource, isTestFile, withoutTests } from './rust_source.js';

/** @typedef {import('./architecture_rules.js').Rule} Rule */

/**
 * The synchronous functions of the binding: they read state, start or end background work, or read text of the application.
 * All others return a promise.
 */
const ON_NODES_THREAD = {
  // `postgres_array` reads a value that a driver received on this thread, at most `maxBytes`, in linear time.
  'mod.rs': [
    'error_codes',
    'limits',
    'default_config',
    'kernel_tools',
    'engine_version',
    'program_launcher',
    'narrowed_token',
    'postgres_array',
  ],
  'binding_database.rs': ['new', 'cancel', 'close'],
  // A run that must be looked up or compiled for its verdict starts on another thread: `Runs::enters_quickly`.
  // `store_counts` writes two small files when the process ends, when no promise can settle any more.
  'binding_kernel.rs': ['new', 'answer', 'halt', 'exec', 'run_code', 'test_file', 'cancel', 'store_counts'],
  // `masked` scans at most 256 KiB, in linear time; `leave` scans at most 64 KiB and appends them to the spool.
  'binding_ledger.rs': ['call_name', 'masked', 'leave'],
  'binding_memory.rs': ['memory_report'],
  'binding_policy.rs': ['answer_approval', 'issue_token', 'sql_detail'],
  'binding_sql_rules.rs': ['new', 'options', 'allows_table', 'denies_table'],
  // The changes since the last call, and as many tools as fit into a prompt.
  'binding_tools.rs': ['list_tools_now', 'catalogue'],
  // For files without a kernel, whose paths and texts are the application's.
  'binding_vfs.rs': ['new', 'read', 'write', 'remove', 'exists', 'list'],
};

/**
 * Parsers of untrusted text that may take more than linear time: their calls, and the files that may contain them, each with
 * the name of its budget.
 * @type {{ what: string, calls: RegExp, places: Record<string, string> }[]}
 */
const READERS = [
  {
    what: 'parses SQL',
    calls: /\bsqlparser::(?:parser|tokenizer)\b/,
    places: { 'crates/sql/src/parsing/metered_parse.rs': 'STEPS_PER_BYTE' },
  },
  {
    what: 'parses TypeScript',
    calls: /\becma::parser::\{[^}]*\bParser\b|\bswc_ecma_parser::(?:Parser|parse_)/,
    places: { 'crates/compile/src/parse/parser.rs': 'parse_meter' },
  },
  {
    what: 'parses YAML',
    calls: /\bgranit_parser::/,
    places: { 'crates/policy/src/file/yaml.rs': 'MAX_' },
  },
  {
    what: 'compares texts line by line',
    calls: /\bPatch::from_\w+\(|\.diff_(?:tree|blob|index)\w*\(/,
    places: {
      'crates/git/src/text_diff.rs': 'MAX_COMPARED_LINES',
      'crates/git/src/store/history.rs': 'DiffEffort',
    },
  },
];

/**
 * The functions that JavaScript calls and that return no promise.
 * @param {string} code
 */
function synchronous(code) {
  const found = code.matchAll(/#\[napi(?<how>\([^\]]*\))?\]\s*(?:#\[[^\]]*\]\s*)*pub fn (?<name>\w+)(?<rest>[^{]*)/g);
  return [...found]
    .map(({ groups }) => ({ name: groups?.name ?? '', rest: groups?.rest ?? '' }))
    .filter(({ rest }) => !/->\s*napi::Result<Object</.test(rest))
    .map(({ name }) => name);
}

/** @type {Rule[]} */
export const FOREIGN_TEXT_RULES = [
  {
    name: 'the binding does only listed work on Node’s thread',
    check: ({ path, text }) => {
      if (!path.startsWith('src/binding/')) return [];
      const allowed =
        /** @type {Record<string, string[]>} */ (ON_NODES_THREAD)[path.slice('src/binding/'.length)] ?? [];
      return synchronous(codeOf(withoutTests(text)))
        .filter((name) => !allowed.includes(name))
        .map((name) => `${name} returns no promise: do it on a lane of background.rs`);
    },
    broken: [
      {
        path: 'src/binding/binding_sql_rules.rs',
        text: '#[napi]\npub fn classify(&self, sql: String) -> BindingOutcome { judge(&sql) }',
      },
      {
        path: 'src/binding/mod.rs',
        text: '#[napi]\n#[must_use]\npub fn unified_diff(path: String, before: Buffer) -> BindingOutcome { diff() }',
      },
      { path: 'src/binding/new_part.rs', text: '#[napi(js_name = "readAll")]\npub fn read_all(&self) {}' },
    ],
    kept: [
      {
        path: 'src/binding/binding_reads.rs',
        text: "#[napi(ts_return_type = \"Promise<BindingOutcome>\")]\npub fn read_file<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> { go() }",
      },
      { path: 'src/binding/binding_kernel.rs', text: '#[napi]\npub fn cancel(&self, run_id: u32) {}' },
      { path: 'src/binding/background.rs', text: 'pub fn spawn_with() {}' },
    ],
  },
  {
    name: 'code that may take more than linear time is in few files, each with a budget',
    check: ({ path, text }) => {
      if (!isRustSource(path) || isTestFile(path)) return [];
      const code = codeOf(withoutTests(text));
      return READERS.filter(({ calls }) => calls.test(code)).flatMap(({ what, places }) => {
        const budget = places[path];
        if (budget === undefined) return [`${what}: use what ${Object.keys(places).join(' or ')} offers`];
        return code.includes(budget) ? [] : [`${what} without ${budget}`];
      });
    },
    broken: [
      { path: 'crates/sql/src/parsing/relations.rs', text: 'use sqlparser::parser::Parser;' },
      { path: 'crates/sql/src/parsing/metered_parse.rs', text: 'use sqlparser::parser::Parser;' },
      { path: 'src/kernel/file_diff.rs', text: 'fn f() { git2::Patch::from_buffers(a, None, b, None, None); }' },
      { path: 'crates/git/src/text_diff.rs', text: 'fn f() { Patch::from_buffers(a, None, b, None, None); }' },
    ],
    kept: [
      {
        path: 'crates/sql/src/parsing/metered_parse.rs',
        text: 'use sqlparser::parser::Parser;\nconst STEPS_PER_BYTE: usize = 9;',
      },
      { path: 'crates/sql/src/parsing/relations.rs', text: 'use sqlparser::ast::Statement;' },
    ],
  },
];

/**
 * The methods of a parser's dialect that are not forwarded with a budget.
 * @param {string} dialect the source of the parser's trait
 * @param {string} metered the source of the forwarding implementation
 */
export function unmeteredMethods(dialect, metered) {
  const [, body = ''] = /pub trait Dialect[^{]*\{([\s\S]*?)\n\}/.exec(dialect) ?? [];
  const methods = [...body.matchAll(/^ {4}fn (\w+)/gm)].map(([, name = '']) => name);
  const forwarded = new Set(codeOf(metered).match(/\w+/g));
  return { count: methods.length, unmetered: methods.filter((name) => !forwarded.has(name)) };
}
