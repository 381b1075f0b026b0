/** Checks of databases and their drivers, for `tgp doctor`. */

import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSqlTools } from '../../agent_tools/sql_tools.js';
import { foreignUrl } from '../../boundary/foreign_url.js';
import { ignored } from '../../boundary/guarded.js';
import { messageOf } from '../../boundary/thrown.js';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import { isAdapter } from '../../sql/adapter.js';
import { sqlite } from '../../sql/adapters/sqlite.js';
import { closeSource } from '../../sql/close_source.js';
import { settingsOf } from '../../sql/sql_settings.js';
import type { SqlSettings, SqlSource } from '../../types/sql.js';
import { inspectProject } from '../init/project.js';
import { nearestConfig } from '../workspace/config_lookup.js';
import type { Finding } from './finding.js';
import { ok, problem, warning } from './finding.js';

const CONNECT_MS = 5_000;
const CONNECT_SECONDS = CONNECT_MS / 1000;

type Source = SqlSource & { close?: () => unknown };
/** Opens a database with the application's driver. */
type Open = (load: NodeJS.Require, url: string) => { source: Source; close: () => unknown };
type DriverName = 'pg' | 'postgres' | 'mysql2';
/** The members of the drivers that are used here, of any version. */
type PgDriver = { Pool: new (options: object) => { end: () => unknown } };
type PostgresDriver = (url: string, options: object) => object & { end: (options: { timeout: number }) => unknown };
type MysqlDriver = { createPool: (options: object) => { promise: () => { end: () => unknown } } };

/** Functions that open and close a database with each driver. */
const DRIVERS: Record<DriverName, Open> = {
  pg: (load, url) => {
    const { Pool }: PgDriver = load('pg');
    const pool = new Pool({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, max: 1 });
    return { source: pool, close: () => pool.end() };
  },
  postgres: (load, url) => {
    const postgres: PostgresDriver = load('postgres');
    const sql = postgres(url, { max: 1, connect_timeout: CONNECT_SECONDS });
    return { source: sql, close: () => sql.end({ timeout: 1 }) };
  },
  mysql2: (load, uri) => {
    const { createPool }: MysqlDriver = load('mysql2');
    const pool = createPool({ uri, connectTimeout: CONNECT_MS, connectionLimit: 1 });
    return { source: pool, close: () => pool.promise().end() };
  },
};
const DRIVERS_OF: Record<string, DriverName[]> = {
  'postgres:': ['pg', 'postgres'],
  'postgresql:': ['pg', 'postgres'],
  'mysql:': ['mysql2'],
  'mariadb:': ['mysql2'],
};

/**
 * Checks the embedded database, the database of the config file, the application's drivers, and the database of DATABASE_URL.
 * @param resolved the configuration, if it is loaded already
 */
export async function database(
  options: { config?: string } = {},
  resolved: ResolvedConfig | undefined = undefined,
): Promise<Finding> {
  const { application, baseDir } = resolved ?? (await nearestConfig(options));
  const { folder, databases } = await inspectProject(baseDir);
  await query(sqlite(':memory:'));
  if (application.sql !== undefined) return configured(application.sql);
  const load = createRequire(join(folder, 'package.json'));
  const missing = databases.filter((name) => !isInstalled(load, name));
  if (missing.length > 0) {
    return problem(`${missing.join(', ')} in package.json, not installed`, 'Install the packages of the application.');
  }
  const drivers = databases.length > 0 ? databases.join(', ') : 'embedded SQLite';
  const url = process.env.DATABASE_URL;
  return url === undefined || url === '' ? ok(drivers) : connected(load, url, databases, drivers);
}

async function configured(sql: SqlSource | SqlSettings): Promise<Finding> {
  const { source } = settingsOf(sql);
  // A query would create the file: a mistyped path must not become a database.
  const file = isAdapter(source) ? source.file : undefined;
  if (file !== undefined && !existsSync(file)) {
    return warning(
      `${file} does not exist yet`,
      'It is created on first use. If the path is wrong, correct "sql" in the config.',
    );
  }
  try {
    await query(source);
    return ok('"sql" in the config is connected');
  } catch (error) {
    return problem(
      `"sql" in the config cannot be reached: ${messageOf(error)}`,
      'Start the database, set the environment variables that the config reads, or correct "sql" in the config.',
    );
  } finally {
    await closeSource(source).catch(ignored);
  }
}

async function connected(load: NodeJS.Require, url: string, databases: string[], drivers: string): Promise<Finding> {
  const { protocol = '', host: place = '' } = foreignUrl(url) ?? {};
  if (protocol === 'file:' || protocol === 'sqlite:') return embedded(url);
  const supported = DRIVERS_OF[protocol];
  if (supported === undefined) {
    return warning(`${drivers}; DATABASE_URL has an unknown protocol`, 'Use postgres://…, mysql://… or file:….');
  }
  const name = supported.find((driver) => databases.includes(driver));
  if (name === undefined) return warning(`DATABASE_URL requires ${supported.join(' or ')}`, `Install ${supported[0]}.`);
  const { source, close } = DRIVERS[name](load, url);
  try {
    await query(source);
    return ok(`${name} is connected to ${place}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(url, 'DATABASE_URL') : String(error);
    return problem(`${name} cannot connect to ${place}: ${reason}`, 'Start the database, or correct DATABASE_URL.');
  } finally {
    await close();
  }
}

async function embedded(url: string) {
  const file = url.startsWith('file://') ? fileURLToPath(url) : url.replace(/^\w+:(?:\/\/)?/, '');
  if (!existsSync(file))
    return warning(
      `${file} does not exist yet`,
      'It is created on first use. If the path is wrong, correct DATABASE_URL.',
    );
  await query(sqlite(file));
  return ok(`embedded SQLite opens ${file}`);
}

async function query(source: Source) {
  const { exec_sql } = createSqlTools(source, { statementTimeoutMs: CONNECT_MS });
  await exec_sql.execute({ sql: 'SELECT 1 AS one' });
  await source.close?.();
}

function isInstalled(load: NodeJS.Require, name: string) {
  try {
    load.resolve(name);
    return true;
  } catch {
    return false;
  }
}
