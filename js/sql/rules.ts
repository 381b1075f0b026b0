/** Classifies statements and applies the limits and rules of the SQL tools. */

import { z } from 'zod';
import type { ParameterShape, SqlOptions as ResolvedSqlOptions, SqlVerb } from '../boundary/crossing.js';
import { dropOldest } from '../boundary/drop_oldest.js';
import { SqlError, ValidationError } from '../boundary/errors.js';
import { limitsOf } from '../boundary/limit_schema.js';
import { LIMITS } from '../boundary/limits.js';
import { native } from '../boundary/native.js';
import { unwrap } from '../boundary/unwrap.js';
import { parseSettings } from '../boundary/validation.js';
import type { SqlDialect, SqlToolOptions } from '../types/sql.js';
import type { SqlDetail, SqlStatement } from './adapter.js';
import type { Relation } from './catalogue/table_visibility.js';
import { checkWeight, toParameter } from './rows/values.js';

type Judgement = Omit<SqlStatement, 'values'> & { bindings: (string | number)[] };

const VERBS: Record<SqlVerb, true> = {
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

const noVerb = ({ input }: { input?: unknown }) =>
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
  #cache = new Map<string, Judgement>();
  options: ResolvedSqlOptions;

  /** Whether the statements are the kernel's own, which never write. */
  isOwn;

  constructor(options: SqlToolOptions = {}, { isOwn = false }: { isOwn?: boolean } = {}) {
    this.isOwn = isOwn;
    parseSettings(SqlOptionsSchema, options, 'The options of the SQL tools are not valid');
    this.#native = new (native().BindingSqlRules)(JSON.stringify(options));
    this.options = unwrap(this.#native.options());
  }

  /**
   * Parses a statement, on a separate thread and with a step limit, and checks it against the rules.
   * @param judged what a policy or a token inspects
   */
  async judge(
    sql: unknown,
    params: unknown,
    dialect: SqlDialect,
    judged: SqlDetail = 'nothing',
  ): Promise<SqlStatement> {
    if (typeof sql !== 'string') throw wrong('sql', 'must be a string with one SQL statement');
    if (sql.length > MAX_SQL_CHARS) throw tooLong();
    const parameters = params ?? [];
    if (typeof parameters !== 'object') throw wrong('params', 'must be an array or an object of values');
    const shape: ParameterShape = Array.isArray(parameters)
      ? { positional: parameters.length }
      : { named: Object.keys(parameters) };
    const { bindings, ...statement } = await this.#classify(sql, dialect, JSON.stringify(shape), judged);
    const values = bindings.map((key) =>
      toParameter(
        (parameters as Record<string | number, unknown>)[key],
        typeof key === 'number' ? `params[${key}]` : `params.${key}`,
      ),
    );
    checkWeight(values);
    return { ...statement, values };
  }

  async #classify(sql: string, dialect: SqlDialect, shape: string, judged: SqlDetail): Promise<Judgement> {
    const key = `${dialect} ${judged} ${shape} ${sql}`;
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const answer = unwrap(await this.#native.classify(sql, dialect, shape, judged));
    const { access, verbs, returns, enforceReadOnly, detail, sql: text, bindings, reach } = answer;
    const judgement = { access, verbs, returns, enforceReadOnly, detail, sql: text, bindings, ...(reach && { reach }) };
    if (key.length <= MAX_CACHED_CHARS) {
      dropOldest(this.#cache, MAX_CACHED);
      this.#cache.set(key, judgement);
    }
    return judgement;
  }

  allowsTable({ schema, name }: Relation, dialect: SqlDialect) {
    return unwrap(this.#native.allowsTable(schema, name, dialect));
  }

  /** @param name of a table, without its schema */
  deniesTable(name: string) {
    return unwrap(this.#native.deniesTable(name));
  }
}

function wrong(field: string, reason: string) {
  return new ValidationError(`"${field}" ${reason}.`, { details: { field } });
}

function tooLong() {
  return new SqlError(
    `The statement is longer than ${MAX_SQL_CHARS} characters. Pass the data as parameters, in several statements.`,
    { details: { reason: 'unreadable' } },
  );
}
