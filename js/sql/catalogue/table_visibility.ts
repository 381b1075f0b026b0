/** Decides which tables a caller may see and access, by the options of the SQL tools and the kernel's policy. */

import type { SqlDialect } from '../../types/sql.js';
import type { SqlRules } from '../rules.js';

/** A table as in the catalogue; schema null if the database has only one. */
export type Relation = { schema: string | null; name: string };
/**
 * Whether the kernel's policy allows a statement with these verbs to access each table indirectly; without verbs, whether it may be
 * read.
 */
export type OpenTables = (dialect: SqlDialect, tables: Relation[], verbs?: string[]) => Promise<boolean[]>;

export class TableVisibility {
  #rules;
  #dialect;
  #openTables;

  constructor(rules: SqlRules, dialect: SqlDialect, openTables?: OpenTables) {
    this.#rules = rules;
    this.#dialect = dialect;
    this.#openTables = openTables;
  }

  /** Filters catalogue rows by the tables that the caller may read. */
  async shown<Row extends { name: string; schema?: unknown; own?: unknown }>(rows: Row[]): Promise<Row[]> {
    const allowed = rows.filter((row) => this.#rules.allowsTable(relationOf(row), this.#dialect));
    if (!this.#openTables || allowed.length === 0) return allowed;
    const open = await this.#openTables(this.#dialect, allowed.map(relationOf));
    return allowed.filter((_, index) => open[index]);
  }

  /** Filters relations that are denied or require approval. */
  async restricted<Found extends Relation>(relations: Found[], verbs: string[] | undefined = []) {
    if (relations.length === 0) return [];
    const open = await this.#openTables?.(this.#dialect, relations, verbs);
    return relations.filter(({ name }, index) => open?.[index] === false || this.#rules.deniesTable(name));
  }
}

/** The table of a catalogue row. */
export function relationOf({ name, schema, own }: { name: string; schema?: unknown; own?: unknown }): Relation {
  return { schema: typeof schema === 'string' ? schema : null, name: typeof own === 'string' ? own : name };
}
