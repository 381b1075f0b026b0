/** The database drivers that `tgp init` supports, with the code that connects each. */

/** A driver, and the code that connects it. */
export type Driver = {
  /** Name of the package. */
  name: string;
  /** The statement that imports it. */
  imports: string;
  /** An expression that creates a pool or a database. */
  open: string;
  /** An expression that closes it. */
  close: string;
  /** Environment variable with the address of the database. */
  variable: string;
  /** The package with its types, if separate. */
  types?: string;
};

/** The comment beside a database in files that `tgp init` writes. */
export const READ_ONLY = 'Tools may only read the database. To let them write, set readOnly to false.';

const DRIVERS: Driver[] = [
  {
    name: 'pg',
    imports: "import { Pool } from 'pg';",
    open: 'new Pool({ connectionString: process.env.DATABASE_URL })',
    close: 'db.end()',
    variable: 'DATABASE_URL',
    types: '@types/pg',
  },
  {
    name: 'postgres',
    imports: "import postgres from 'postgres';",
    open: "postgres(process.env.DATABASE_URL ?? '')",
    close: 'db.end()',
    variable: 'DATABASE_URL',
  },
  {
    name: 'mysql2',
    imports: "import { createPool } from 'mysql2/promise';",
    open: 'createPool({ uri: process.env.DATABASE_URL })',
    close: 'db.end()',
    variable: 'DATABASE_URL',
  },
  {
    name: 'better-sqlite3',
    imports: "import Database from 'better-sqlite3';",
    open: "new Database(process.env.DATABASE_FILE ?? 'app.db')",
    close: 'db.close()',
    variable: 'DATABASE_FILE',
    types: '@types/better-sqlite3',
  },
];

/** Packages on top of a driver, and the name of the object to pass to the kernel. */
const LAYERS = {
  'drizzle-orm': 'drizzle database',
  '@prisma/client': 'Prisma client',
  knex: 'knex instance',
};

/** The supported database packages that an application uses. */
export function databasesOf(uses: (name: string) => boolean) {
  return [...DRIVERS.map(({ name }) => name), ...Object.keys(LAYERS)].filter(uses);
}

/** The driver to connect with. A layer on top of a driver reaches the same database. */
export function driverOf(databases: string[]) {
  return DRIVERS.find(({ name }) => databases.includes(name));
}

/** Manual steps if there is no driver to connect with. */
export function layerSteps(
  databases: string[],
  { agent, config }: { agent: string; config: string },
  framework: string,
): string[] {
  if (driverOf(databases)) return [];
  const layer = Object.entries(LAYERS).find(([name]) => databases.includes(name))?.[1];
  if (layer === undefined) return [];
  const built = `In ${agent}, import that config and create the kernel with new TGP({ config }): the build includes what is imported.`;
  return [
    `In ${config}, add your ${layer} as sql: { source: it, readOnly: true }, and in ${agent} add ...createSqlTools(kernel) to the tools; without readOnly tools may write.`,
    ...(framework === 'next' ? [built] : []),
  ];
}
