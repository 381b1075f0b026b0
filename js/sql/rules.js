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

/** @type {Record<import('../boundary/crossing.js').Verb, true>} */
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

/** Longer statements are data in the wrong place; they are not even handed over to be judged. */
const MAX_SQL_CHARS = 1 << 20;
/** Judgements that are remembered, and the longest text of one. */
const MAX_REMEMBERED = 500;
const MAX_REMEMBERED_CHARS = 2_000;

/** What the owner of a database allows; every statement of every adapter is held against it. */
export class SqlRules {
  #native;
  /** @type {Map<string, Judgement>} */
  #remembered = new Map();
  /** @type {ResolvedSqlOptions} */
  options;

  /** Whether the statements are the kernel's own, which call nothing that writes. */
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
   * What a statement may do. It is read on a thread of its own, up to a number of steps.
   * @param {unknown} sql
   * @param {unknown} params
   * @param {SqlDialect} dialect
   * @param {import('./adapter.js').SqlDetail} [judged] what a policy or a token looks at
   * @returns {Promise<SqlStatement>}
   */
  async judge(sql, params, dialect, judged = 'nothing') {
    if (typeof sql !== 'string') throw wrong('sql', 'must be a string with one SQL statement');
    if (sql.length > MAX_SQL_CHARS) throw tooLong();
    const given = params ?? [];
    if (typeof given !== 'object') throw wrong('params', 'must be an array or an object of values');
    /** @type {import('../boundary/crossing.js').ParameterShape} */
    const shape = Array.isArray(given) ? { positional: given.length } : { named: Object.keys(given) };
    const { bindings, ...statement } = await this.#classify(sql, dialect, JSON.stringify(shape), judged);
    const values = bindings.map((key) =>
      toParameter(/** @type {any} */ (given)[key], typeof key === 'number' ? `params[${key}]` : `params.${key}`),
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
    const known = this.#remembered.get(key);
    if (known) return known;
    const answer = unwrap(await this.#native.classify(sql, dialect, shape, judged));
    const { access, verbs, returns, fenced, detail, sql: text, bindings, reach } = answer;
    const judgement = { access, verbs, returns, fenced, detail, sql: text, bindings, ...(reach && { reach }) };
    if (key.length <= MAX_REMEMBERED_CHARS) {
      dropOldest(this.#remembered, MAX_REMEMBERED);
      this.#remembered.set(key, judgement);
    }
    return judgement;
  }

  /**
   * @param {import('./table_sight.js').Relation} table
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
