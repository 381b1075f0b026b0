/** Classifies statements and applies the limits and rules of the SQL tools. */

import { z } from 'zod';
import { dropOldest } from '../boundary/drop_oldest.js';
import { SqlError, unwrap, ValidationError } from '../boundary/errors.js';
import { limitsOf } from '../boundary/limit_schema.js';
import { LIMITS } from '../boundary/limits.js';
import { native } from '../boundary/native.js';
import { parseSettings } from '../boundary/validation.js';
import { checkWeight, toParameter } from './values.js';

/**
 * @typedef {import('../../index.js').SqlToolOptions} SqlToolOptions
 * @typedef {import('./adapter.js').SqlDialect} SqlDialect
 * @typedef {import('../boundary/crossing.js').SqlOptions} ResolvedSqlOptions
 * @typedef {import('./adapter.js').SqlStatement} SqlStatement
 * @typedef {Omit<SqlStatement, 'values'> & { bindings: (string | number)[] }} Judgement
 */

/** @type {Record<import('../boundary/crossing.js').SqlVerb, true>} */
const VERBS = {
  select: true,
  insert: true,
  update: true,
  delete: true,
  replace: true,
  merge: true,
  truncate: true,
  create: true,
  alter: true,
  drop: true,
  show: true,
  maintain: true,
};

/** @param {{ input?: unknown }} issue */
const noVerb = ({ input }) =>
  `must be one of ${Object.keys(VERBS).join(', ')}, not ${typeof input === 'string' ? input : `a ${typeof input}`}`;

const RuleListSchema = z.strictObject({
  tables: z.array(z.string().min(1)).optional(),
  verbs: z.array(z.enum(Object.keys(VERBS), { error: noVerb })).optional(),
});

const SqlOptionsSchema = z.strictObject({
  readOnly: z.boolean().optional(),
  dryRun: z.boolean().optional(),
  ddl: z.boolean().optional(),
  ...limitsOf(LIMITS.sql),
  allow: RuleListSchema.optional(),
  deny: RuleListSchema.optional(),
});

/** Longer statements are refused without being parsed: their data belongs in parameters. */
const MAX_SQL_CHARS = 1 << 20;
/** Cached classifications, and the maximum length of a cached statement. */
const MAX_CACHED = 500;
const MAX_CACHED_CHARS = 2_000;

/** What tools may do with a database. Every statement of every adapter is checked against it. */
export class SqlRules {
  #native;
  /** @type {Map<string, Judgement>} */
  #cache = new Map();
  /** @type {ResolvedSqlOptions} */
  options;

  /** Whether the statements are the kernel's own, which never write. */
  isOwn;

  /**
   * @param {SqlToolOptions} [options]
   * @param {{ isOwn?: boolean }} [facts]
   */
  constructor(options = {}, { isOwn = false } = {}) {
    this.isOwn = isOwn;
    parseSettings(SqlOptionsSchema, options, 'The options of the SQL tools are not valid');
    this.#native = new (native().BindingSqlRules)(JSON.stringify(options));
    this.options = unwrap(this.#native.options());
  }

  /**
   * Parses a statement, on a separate thread and with a step limit, and checks it against the rules.
   * @param {unknown} sql
   * @param {unknown} params
   * @param {SqlDialect} dialect
   * @param {import('./adapter.js').SqlDetail} [judged] what a policy or a token inspects
   * @returns {Promise<SqlStatement>}
   */
  async judge(sql, params, dialect, judged = 'nothing') {
    if (typeof sql !== 'string') throw wrong('sql', 'must be a string with one SQL statement');
    if (sql.length > MAX_SQL_CHARS) throw tooLong();
    const parameters = params ?? [];
    if (typeof parameters !== 'object') throw wrong('params', 'must be an array or an object of values');
    /** @type {import('../boundary/crossing.js').ParameterShape} */
    const shape = Array.isArray(parameters) ? { positional: parameters.length } : { named: Object.keys(parameters) };
    const { bindings, ...statement } = await this.#classify(sql, dialect, JSON.stringify(shape), judged);
    const values = bindings.map((key) =>
      toParameter(/** @type {any} */ (parameters)[key], typeof key === 'number' ? `params[${key}]` : `params.${key}`),
    );
    checkWeight(values);
    return { ...statement, values };
  }

  /**
   * @param {string} sql
   * @param {SqlDialect} dialect
   * @param {string} shape
   * @param {import('./adapter.js').SqlDetail} judged
   * @returns {Promise<Judgement>}
   */
  async #classify(sql, dialect, shape, judged) {
    const key = `${dialect} ${judged} ${shape} ${sql}`;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const answer = unwrap(await this.#native.classify(sql, dialect, shape, judged));
    const { access, verbs, returns, fenced, detail, sql: text, bindings, reach } = answer;
    const judgement = { access, verbs, returns, fenced, detail, sql: text, bindings, ...(reach && { reach }) };
    if (key.length <= MAX_CACHED_CHARS) {
      dropOldest(this.#cache, MAX_CACHED);
      this.#cache.set(key, judgement);
    }
    return judgement;
  }

  /**
   * @param {import('./table_visibility.js').Relation} table
   * @param {SqlDialect} dialect
   */
  allowsTable({ schema, name }, dialect) {
    return this.#native.allowsTable(schema, name, dialect);
  }

  /** @param {string} name of a table, without its schema */
  deniesTable(name) {
    return this.#native.deniesTable(name);
  }
}

/**
 * @param {string} field
 * @param {string} reason
 */
function wrong(field, reason) {
  return new ValidationError(`"${field}" ${reason}.`, { details: { field } });
}

function tooLong() {
  return new SqlError(
    `The statement is longer than ${MAX_SQL_CHARS} characters. Pass the data as parameters, in several statements.`,
    { details: { reason: 'unreadable' } },
  );
}
