/** SQL dialects are not compared: code reads their facts, so that a new dialect states them instead of getting those of another. */

import { codeOf, isRustSource as isRust, isTestFile, withoutTests } from './rust_source.js';

/** Comparisons of an SQL dialect in Rust, by operator or pattern. */
const IN_RUST =
  /[!=]=\s*(?:\w+::)*Dialect::|\bDialect::\w+\s*(?:[!=]=|=>|\|(?!\|)|[),][^;{}]*=>)|\bmatches!\s*\([^;]*\bDialect::|\b(?:if|while) let [^=]*\bDialect::|\buse [^;]*\bDialect::[\w{*]/;

/** The facts of the dialects in TypeScript. */
const FACTS = 'js/sql/dialects.ts';
const NAME = '[\'"`](?:sqlite|postgres|mysql|any)[\'"`]';
/** Comparisons in TypeScript: with the name of a dialect, or of a variable for one. */
const IN_TYPESCRIPT = new RegExp(
  [
    `[!=]==?\\s*${NAME}`,
    `${NAME}\\s*[!=]==?`,
    `\\bcase ${NAME}`,
    `${NAME}[^\\[\\]]*\\]\\s*\\.(?:includes|indexOf)\\(`,
    '\\bdialect\\s*[!=]==?(?!=|\\s*(?:undefined|null)\\b)',
    '\\bswitch\\s*\\([^)]*\\bdialect\\b',
    '\\.(?:has|includes|indexOf)\\((?:[\\w#]+\\.)*dialect\\b',
  ].join('|'),
  'i',
);
const COMMENT = /\/\*[\s\S]*?\*\/|(?<!:)\/\/[^\n]*/g;

/**
 * @param {RegExp} pattern
 * @param {string} text
 * @param {string} problem
 */
function matches(pattern, text, problem) {
  return pattern.test(text) ? [problem] : [];
}

/** @type {import('./architecture_rules.js').Rule[]} */
export const DIALECT_RULES = [
  {
    name: 'SQL dialects are compared in crates/sql/src/dialects/ only; other code reads their facts',
    check: ({ path, text }) =>
      isRust(path) && !path.startsWith('crates/sql/src/dialects/') && !isTestFile(path)
        ? matches(IN_RUST, codeOf(withoutTests(text)), 'compares dialects: add a fact to DialectRules')
        : [],
    broken: [
      'if dialect == Dialect::Mysql {}',
      'let a = tgp_sql::Dialect::Any != dialect;',
      'let a = matches!(dialect, Dialect::Sqlite | Dialect::Mysql);',
      'match dialect { Dialect::Postgres => 1, _ => 2 }',
      'match (dialect, quoted) { (Dialect::Postgres, true) => 1, _ => 2 }',
      'if let Dialect::Any = dialect {}',
      'use crate::dialects::Dialect::{Any, Mysql};',
    ].map((text) => ({ path: 'crates/sql/src/rules/reach.rs', text })),
    kept: [
      { path: 'crates/sql/src/dialects/mod.rs', text: 'match self { Dialect::Any => None }' },
      {
        path: 'crates/sql/src/sqlite/authorizer.rs',
        text: 'let a = classify(sql, Dialect::Sqlite, &policy, &shape)?;',
      },
      { path: 'src/kernel/host_functions.rs', text: 'fn sql_dialect(&self) -> Dialect {\n    Dialect::Any\n}' },
      { path: 'crates/sql/src/rules/reach.rs', text: 'if dialect.has_plans() {}' },
    ],
  },
  {
    name: `SQL dialects are compared in ${FACTS} only; other scripts read their facts`,
    check: ({ path, text }) =>
      /^js\/.*\.ts$/.test(path) && path !== FACTS
        ? matches(IN_TYPESCRIPT, text.replace(COMMENT, ''), 'compares dialects: add a fact to DialectFacts')
        : [],
    broken: [
      "if (dialect === 'postgres') return;",
      "const isShown = adapter.dialect !== 'any';",
      "const isFile = 'sqlite' == kind;",
      "switch (driver) {\n  case 'mysql':\n}",
      'switch (this.#adapter.dialect) {}',
      "if (['sqlite', 'postgres'].includes(name)) return;",
      'if (TRANSACTIONAL.has(adapter.dialect)) return;',
      'if (dialect === other) return;',
    ].map((text) => ({ path: 'js/sql/run/transaction.ts', text })),
    kept: [
      { path: FACTS, text: "return dialect === 'any' ? undefined : dialect;" },
      { path: 'js/sql/adapters/pg.ts', text: "return defineAdapter({ dialect: 'postgres' });" },
      { path: 'js/sql/catalogue/schema_queries.ts', text: 'const queries = QUERIES[dialect];' },
      { path: 'js/sql/run/transaction.ts', text: "// if (dialect === 'any')\nif (dialect === undefined) return;" },
      { path: 'js/cli/init/databases.ts', text: "const DRIVERS = { postgres: 'postgres' };" },
    ],
  },
];
