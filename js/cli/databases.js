/** The database drivers that `tgp init` knows, and how an application is connected with each. */

/**
 * @typedef {object} Driver
 * @property {string} name of the package
 * @property {string} imports the statement that imports it
 * @property {string} open an expression that makes a pool or a database
 * @property {string} close an expression that ends it
 * @property {string} variable of the environment, which says where the database is
 * @property {string} [types] the package with its types, when it has none itself
 */

/** Stands beside a database in what `tgp init` writes. */
export const READ_ONLY = 'Tools may only read the database. To let them write, set readOnly to false.';

/** @type {Driver[]} */
const DRIVERS = [
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

/** Packages over a driver, and what the application calls the object that the kernel takes. */
const LAYERS = {
  'drizzle-orm': 'drizzle database',
  '@prisma/client': 'Prisma client',
  knex: 'knex instance',
};

/**
 * The packages of this list that an application uses.
 * @param {(name: string) => boolean} uses
 */
export function databasesOf(uses) {
  return [...DRIVERS.map(({ name }) => name), ...Object.keys(LAYERS)].filter(uses);
}

/**
 * The driver to connect with: the first, since what lies over it reaches the same database.
 * @param {string[]} databases
 */
export function driverOf(databases) {
  return DRIVERS.find(({ name }) => databases.includes(name));
}

/**
 * What a person has to do when there is no driver to connect with.
 * @param {string[]} databases
 * @param {{ agent: string, config: string }} files
 * @param {string} framework
 * @returns {string[]}
 */
export function layerSteps(databases, { agent, config }, framework) {
  if (driverOf(databases)) return [];
  const layer = Object.entries(LAYERS).find(([name]) => databases.includes(name))?.[1];
  if (layer === undefined) return [];
  const built = `In ${agent}, import that config and make the kernel with new TGP({ config }): the build takes along what is imported.`;
  return [
    `In ${config}, add your ${layer} as sql: { source: it, readOnly: true }, and in ${agent} add ...createSqlTools(kernel) to the tools; without readOnly they may write.`,
    ...(framework === 'next' ? [built] : []),
  ];
}
