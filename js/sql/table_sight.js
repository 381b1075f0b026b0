/** Which tables of a database a caller may see and touch: by the options of the SQL tools, and by the rules of a kernel. */

/**
 * @typedef {{ schema: string | null, name: string }} Relation as the catalogue has it; without a schema where there is one alone
 * @typedef {(dialect: import('./adapter.js').SqlDialect, tables: Relation[], verbs?: string[]) => Promise<boolean[]>} OpenTables
 * whether the rules of a kernel leave each table open to a statement with these verbs that reaches it without naming it; without
 * verbs, whether it may be read
 */

export class TableSight {
  #rules;
  #dialect;
  #openTables;

  /**
   * @param {import('./rules.js').SqlRules} rules
   * @param {import('./adapter.js').SqlDialect} dialect
   * @param {OpenTables} [openTables]
   */
  constructor(rules, dialect, openTables) {
    this.#rules = rules;
    this.#dialect = dialect;
    this.#openTables = openTables;
  }

  /**
   * Those of some rows of the catalogue whose tables the caller may read.
   * @template {{ name: string, schema?: unknown, own?: unknown }} Row
   * @param {Row[]} rows
   * @returns {Promise<Row[]>}
   */
  async shown(rows) {
    const allowed = rows.filter((row) => this.#rules.allowsTable(relationOf(row), this.#dialect));
    if (!this.#openTables || allowed.length === 0) return allowed;
    const open = await this.#openTables(this.#dialect, allowed.map(relationOf));
    return allowed.filter((_, index) => open[index]);
  }

  /**
   * Those of some relations that are denied, or that a rule asks about.
   * @template {Relation} Found
   * @param {Found[]} relations
   * @param {string[] | undefined} verbs
   */
  async held(relations, verbs = []) {
    if (relations.length === 0) return [];
    const open = await this.#openTables?.(this.#dialect, relations, verbs);
    return relations.filter(({ name }, index) => open?.[index] === false || this.#rules.deniesTable(name));
  }
}

/**
 * @param {{ name: string, schema?: unknown, own?: unknown }} row
 * @returns {Relation}
 */
export function relationOf({ name, schema, own }) {
  return { schema: typeof schema === 'string' ? schema : null, name: typeof own === 'string' ? own : name };
}
