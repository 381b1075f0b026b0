/** Decides which tables a caller may see and access, by the options of the SQL tools and the kernel's policy. */

/**
 * @typedef {{ schema: string | null, name: string }} Relation as in the catalogue; schema null if the database has only one
 * @typedef {(dialect: import('./adapter.js').SqlDialect, tables: Relation[], verbs?: string[]) => Promise<boolean[]>} OpenTables
 * whether the kernel's policy allows a statement with these verbs to access each table indirectly; without verbs, whether it may be
 * read
 */

export class TableVisibility {
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
   * Filters catalogue rows by the tables that the caller may read.
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
   * Filters relations that are denied or require approval.
   * @template {Relation} Found
   * @param {Found[]} relations
   * @param {string[] | undefined} verbs
   */
  async restricted(relations, verbs = []) {
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
