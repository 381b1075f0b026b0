import { unwrap, ValidationError } from '../errors.js';
import { native } from '../native.js';
import { toParameter } from './values.js';

/**
 * @typedef {import('../../index.js').SqlToolOptions} SqlToolOptions
 * @typedef {import('./adapter.js').SqlDialect} SqlDialect
 * @typedef {Required<SqlToolOptions>} ResolvedSqlOptions
 * @typedef {import('./adapter.js').SqlStatement} SqlStatement
 */

/** What the owner of a database allows; every statement of every adapter is held against it. */
export class SqlRules {
  #native;
  /** @type {ResolvedSqlOptions} */
  options;

  /** @param {SqlToolOptions} [options] */
  constructor(options = {}) {
    this.#native = new (native().BindingSqlRules)(JSON.stringify(options));
    this.options = unwrap(this.#native.options());
  }

  /**
   * @param {unknown} sql
   * @param {unknown} params
   * @param {SqlDialect} dialect
   * @returns {SqlStatement}
   */
  judge(sql, params, dialect) {
    if (typeof sql !== 'string') throw wrong('sql', 'must be a string with one SQL statement');
    const given = params ?? [];
    if (typeof given !== 'object') throw wrong('params', 'must be an array or an object of values');
    const shape = Array.isArray(given) ? { positional: given.length } : { named: Object.keys(given) };
    const judged = unwrap(this.#native.classify(sql, dialect, JSON.stringify(shape)));
    const values = judged.bindings.map((/** @type {string | number} */ key) =>
      toParameter(/** @type {any} */ (given)[key], typeof key === 'number' ? `params[${key}]` : `params.${key}`),
    );
    return { sql: judged.sql, access: judged.access, returns: judged.returns, values };
  }

  /** @param {string} name */
  allowsTable(name) {
    return this.#native.allowsTable(name);
  }
}

/**
 * @param {string} field
 * @param {string} reason
 */
function wrong(field, reason) {
  return new ValidationError(`"${field}" ${reason}.`, { details: { field } });
}
