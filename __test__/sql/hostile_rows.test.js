import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasServer } from '../../tools/database_server.mjs';
import { MAX_MB, runAttacks } from '../helpers/run_attacks.js';
import { ownDatabase } from '../helpers/shared_servers.js';

/**
 * @typedef {import('../helpers/run_attacks.js').Attack} Attack
 * @typedef {Attack & { outcome: object, everywhere?: true, maxLateMs?: number }} Row `everywhere`: also for wrappers of the
 * driver; `maxLateMs`: the longest delay of the event loop
 */

const options = { statementTimeoutMs: 60_000 };
const TOO_MUCH = { ok: false, code: 'ERR_SQL', reason: 'maxBytes' };
const TOO_MANY = { ok: false, code: 'ERR_SQL', reason: 'maxRows' };
const TOO_DEEP = { ok: false, code: 'ERR_SQL', reason: 'depth' };
/** The error of a run has no reason. */
const FAILED_RUN = { ok: false, code: 'ERR_SQL' };
const FINE = { ok: true };

const NESTED = (/** @type {number} */ levels) => `(repeat('[', ${levels}) || repeat(']', ${levels}))`;
const columns = (/** @type {string} */ expression, /** @type {number} */ count) =>
  Array.from({ length: count }, (_, index) => `${expression} AS c${index}`).join(', ');

/** @type {Row[]} */
const POSTGRES = [
  {
    name: 'JSON nested 5 000 deep',
    sql: `SELECT ${NESTED(5_000)}::json AS j`,
    options: { readOnly: true },
    outcome: TOO_DEEP,
    everywhere: true,
  },
  { name: 'the same, for a tool', sql: `SELECT ${NESTED(5_000)}::jsonb AS j`, route: 'tool', outcome: FAILED_RUN },
  { name: 'JSON at the depth limit', sql: `SELECT ${NESTED(500)}::json AS j`, outcome: FINE },
  { name: 'the same, for a tool', sql: `SELECT ${NESTED(500)}::json AS j`, route: 'tool', outcome: FINE },
  {
    name: '5 columns of 20 MB',
    sql: `SELECT ${columns("repeat('x', 20000000)", 5)}`,
    options,
    outcome: TOO_MUCH,
    everywhere: true,
  },
  { name: '40 MB of bytes', sql: `SELECT convert_to(repeat('x', 40000000), 'UTF8') AS b`, options, outcome: TOO_MUCH },
  { name: '3 MB of bytes, which fit', sql: `SELECT convert_to(repeat('x', 3000000), 'UTF8') AS b`, outcome: FINE },
  {
    name: 'many wide rows',
    sql: `SELECT repeat('x', 20000000) AS x FROM generate_series(1, 100)`,
    options,
    outcome: TOO_MUCH,
  },
  { name: 'control characters, which JSON escapes', sql: 'SELECT repeat(chr(1), 3900000) AS x', outcome: TOO_MUCH },
  {
    name: 'a million empty objects, which fit',
    sql: `SELECT ('[' || repeat('{},', 1300000) || '{}]')::json AS j`,
    options,
    outcome: FINE,
  },
  {
    name: 'an array of a million empty lists, which fit',
    sql: `SELECT array_agg('[]'::json) AS a FROM generate_series(1, 1300000)`,
    options,
    outcome: FINE,
  },
  { name: 'an array of quotes', sql: `SELECT ARRAY[repeat('"', 2900000)] AS a`, outcome: TOO_MUCH },
  { name: 'an array of quotes, which fits', sql: `SELECT ARRAY[repeat('"', 2000000)] AS a`, outcome: FINE },
  { name: 'an array of backslashes', sql: `SELECT ARRAY[repeat('\\', 1900000)] AS a`, outcome: FINE, maxLateMs: 3_000 },
  {
    name: 'JSON of backslashes in an array',
    sql: `SELECT ARRAY[('"' || repeat('\\', 4400000) || '"')::json] AS a`,
    outcome: TOO_MUCH,
    maxLateMs: 3_000,
  },
  {
    name: 'an error text of 20 MB',
    sql: `SELECT cast(repeat('x', 20000000) AS integer)`,
    options,
    outcome: { ok: false, code: 'ERR_SQL', reason: 'database', length: expect.closeTo(2_050, -3) },
    everywhere: true,
  },
  { name: 'a million rows', sql: 'SELECT i FROM generate_series(1, 1000000) AS i', outcome: TOO_MANY },
];

/** The statements of the original issue, which take the server seconds. */
const ISSUE = {
  quotes: { name: 'a row of 300 MB of quotes', sql: `SELECT repeat('"', 300000000) AS q`, options, outcome: TOO_MUCH },
  wide: {
    name: '10 columns of 50 MB',
    sql: `SELECT ${columns("repeat('x', 50000000)", 10)}`,
    options,
    outcome: TOO_MUCH,
  },
};

/** @type {Row[]} */
const MARIADB = [
  {
    name: '5 columns of 15 MB',
    sql: `SELECT ${columns("repeat('x', 15000000)", 5)}`,
    options,
    outcome: TOO_MUCH,
    everywhere: true,
  },
  {
    name: 'the same, for a tool',
    sql: `SELECT ${columns("repeat('x', 15000000)", 5)}`,
    route: 'tool',
    outcome: FAILED_RUN,
  },
  { name: 'many wide rows', sql: `SELECT repeat('x', 15000000) AS x FROM seq_1_to_200`, options, outcome: TOO_MUCH },
  { name: 'control characters, which JSON escapes', sql: 'SELECT repeat(char(1), 3900000) AS x', outcome: TOO_MUCH },
  { name: '3 MB of bytes, which fit', sql: `SELECT cast(repeat('x', 3000000) AS BINARY) AS b`, outcome: FINE },
  { name: 'a million rows', sql: 'SELECT seq FROM seq_1_to_1000000', outcome: TOO_MANY, everywhere: true },
  {
    name: 'geometries in geometries',
    sql: `SELECT ST_GeomFromText(concat(repeat('GEOMETRYCOLLECTION(', 30), 'POINT(1 1)', repeat(')', 30))) AS g`,
    outcome: FINE,
  },
  { name: '4 000 columns', sql: `SELECT ${columns('1', 4_000)}`, outcome: FINE },
];

const everywhere = (/** @type {Row[]} */ rows) => rows.filter((row) => row.everywhere);
const NEXT = JSON.stringify([{ word: 'fine' }]);

/**
 * @param {string} source
 * @param {{ postgres?: number, mariadb?: number }} ports
 * @param {Row[]} rows
 */
async function survives(source, ports, rows) {
  const outcomes = await runAttacks(source, ports, rows);
  expect(outcomes.map(({ attack }) => attack)).toEqual(rows.map(({ name }) => name));
  for (const [index, outcome] of outcomes.entries()) {
    expect(outcome, outcome.attack).toMatchObject({ ...rows[index]?.outcome, next: NEXT });
    expect(outcome.pool, outcome.attack).toBeOneOf(['unknown', expect.objectContaining({ busy: 0, waiting: 0 })]);
    expect(outcome.lateMs, outcome.attack).toBeLessThan(rows[index]?.maxLateMs ?? Number.POSITIVE_INFINITY);
    expect(outcome.peakMb, `MB at the peak of "${outcome.attack}"`).toBeLessThanOrEqual(MAX_MB);
  }
}

describe.skipIf(!hasServer('postgres'))('hostile rows of PostgreSQL fail only the call', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  beforeAll(async () => {
    server = await ownDatabase('postgres');
  });
  afterAll(() => server?.stop(), 60_000);

  it.concurrent.each([
    ['pg pool', [...POSTGRES, ISSUE.quotes]],
    ['postgres.js', [...POSTGRES, ISSUE.wide]],
    ['knex over pg', everywhere(POSTGRES)],
    ['pg client', everywhere(POSTGRES)],
    ['pg pool over TLS', everywhere(POSTGRES)],
    ['postgres.js over TLS', everywhere(POSTGRES)],
    ['drizzle over pg', everywhere(POSTGRES)],
    ['drizzle over postgres.js', everywhere(POSTGRES)],
  ])('%s', (source, rows) => survives(source, { postgres: server.port }, rows), 240_000);
});

describe.skipIf(!hasServer('mariadb'))('hostile rows of MariaDB fail only the call', () => {
  /** @type {import('../helpers/shared_servers.js').Database} */
  let server;
  beforeAll(async () => {
    server = await ownDatabase('mariadb');
  });
  afterAll(() => server?.stop(), 60_000);

  it.concurrent.each([
    ['mysql2 pool', MARIADB],
    ['mysql2 connection', everywhere(MARIADB)],
    ['mysql2 with callbacks', everywhere(MARIADB)],
    ['mysql2 pool, compressed', everywhere(MARIADB)],
    ['mysql2 pool over TLS', everywhere(MARIADB)],
    ['knex over mysql2', everywhere(MARIADB)],
    ['drizzle over mysql2', everywhere(MARIADB)],
  ])('%s', (source, rows) => survives(source, { mariadb: server.port }, rows), 240_000);
});
