import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import fc from 'fast-check';
import makeKnex from 'knex';
import callbackMysql from 'mysql2';
import pgPackage from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqlTools, executor } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { startChunkingProxy } from '../helpers/chunking_proxy.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { tempRoot } from '../helpers/temp_root.js';

/** `TGP_FUZZ_SEED` repeats a run, `TGP_FUZZ_RUNS` makes it longer. */
const seed = Number(process.env.TGP_FUZZ_SEED ?? Date.now() & 0x7fffffff);
const numRuns = Number(process.env.TGP_FUZZ_RUNS ?? 60);
console.info(`row_fuzz: TGP_FUZZ_SEED=${seed}`);

/** Text that databases can store: no NUL, no lone surrogate. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'"\\{},\n\u0001\u007f\u2028é€😀NULL[]:'),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
  })
  .filter((value) => !value.includes('\0'));
const plain = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    plain,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}));
const bytes = fc.uint8Array({ maxLength: 300 });

/** JSON has no -0, and databases need not keep the last bit of a float. @param {unknown} value */
const normal = (value) => JSON.parse(JSON.stringify(value), (_key, item) => (Object.is(item, -0) ? 0 : item));

/** @param {Uint8Array} value */
const tagged = (value) => ({ $base64: Buffer.from(value).toString('base64') });

/**
 * @param {fc.IAsyncProperty<any>} property
 * @param {number} [runs]
 */
const holds = (property, runs = numRuns) => fc.assert(property, { seed, numRuns: runs });

/** @type {(() => unknown)[]} */
const closing = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe.skipIf(!hasServer('postgres'))('PostgreSQL, with responses in chunks of any size', () => {
  /** @type {Record<string, any>} */
  const sources = {};
  beforeAll(async () => {
    const server = await ownDatabase('postgres');
    closing.push(() => server.stop());
    let size = 1;
    const proxy = await startChunkingProxy(server.port, () => {
      size = (size * 7 + 3) % 61;
      return size + 1;
    });
    closing.push(() => proxy.stop());
    const where = { ...server.settings, port: proxy.port };
    const pool = new pgPackage.Pool({ ...where, max: 2 });
    pool.on('error', () => {});
    const sql = postgres({ ...where, max: 2, fetch_types: false });
    const instance = makeKnex({ client: 'pg', connection: where, pool: { min: 0, max: 2 } });
    closing.push(
      () => pool.end(),
      () => sql.end({ timeout: 1 }),
      () => instance.destroy(),
    );
    Object.assign(sources, { pg: pool, 'postgres.js': sql, knex: instance });
  });

  it.each(['pg', 'postgres.js', 'knex'])('%s: values survive a round trip', async (name) => {
    const { exec_sql } = createSqlTools(sources[name]);
    const sql = 'SELECT $1::text AS t, $2::json AS j, $3::jsonb AS b, $4::bytea AS y, $5::text[] AS a';
    await holds(
      fc.asyncProperty(text, json, json, bytes, fc.array(fc.option(text), { maxLength: 5 }), async (t, j, b, y, a) => {
        // PostgreSQL's jsonb cannot store NUL, and has its own range of numbers.
        const params = [t, JSON.stringify(j), JSON.stringify(b), y, a];
        const [row] = await exec_sql.execute({ sql, params });
        expect(row).toEqual({ t, j: normal(j), b: normal(b), y: tagged(y), a });
      }),
    );
  });

  it.each(['pg', 'postgres.js'])('%s: excess rows are refused, and the next row is intact', async (name) => {
    const { exec_sql } = createSqlTools(sources[name], { maxBytes: 2_000, maxRows: 50 });
    await holds(
      fc.asyncProperty(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 1, max: 60 }), async (size, count) => {
        const sql = `SELECT repeat('x', ${size}) AS x FROM generate_series(1, ${count})`;
        const outcome = await exec_sql.execute({ sql }).catch((/** @type {any} */ error) => error.details.reason);
        const fits = count <= 50 && 2 + count * (size + 9) <= 2_000;
        if (fits) expect([outcome.length, outcome[0].x.length]).toEqual([count, size]);
        else expect(['maxRows', 'maxBytes']).toContain(outcome);
        expect(await exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
      }),
    );
  });
});

describe.skipIf(!hasServer('mariadb'))('MariaDB, with responses in chunks of any size', () => {
  /** @type {any} */
  let pool;
  beforeAll(async () => {
    const server = await ownDatabase('mariadb');
    closing.push(() => server.stop());
    let size = 1;
    const proxy = await startChunkingProxy(server.port, () => {
      size = (size * 5 + 2) % 53;
      return size + 1;
    });
    closing.push(() => proxy.stop());
    pool = callbackMysql.createPool({
      ...server.settings,
      port: proxy.port,
      connectionLimit: 2,
      charset: 'utf8mb4',
    });
    closing.push(() => new Promise((done) => pool.end(done)));
  });

  it('mysql2: values survive a round trip', async () => {
    const { exec_sql } = createSqlTools(pool);
    // No text that looks like a date, which is returned in another format.
    const word = text.filter((value) => !/^\d{4}-/.test(value));
    await holds(
      fc.asyncProperty(word, bytes, fc.integer(), async (t, y, i) => {
        const sql = 'SELECT cast(? AS CHAR) AS t, cast(? AS BINARY) AS y, cast(? AS SIGNED) AS i';
        expect(await exec_sql.execute({ sql, params: [t, y, i] })).toEqual([{ t, y: tagged(y), i }]);
      }),
    );
  });

  it('mysql2: excess rows are refused, and the next row is intact', async () => {
    const { exec_sql } = createSqlTools(pool, { maxBytes: 2_000 });
    await holds(
      fc.asyncProperty(fc.integer({ min: 0, max: 3_000 }), async (size) => {
        const outcome = await exec_sql
          .execute({ sql: `SELECT repeat('x', ${size}) AS x` })
          .catch((/** @type {any} */ error) => error.details.reason);
        if (size + 11 <= 2_000) expect(outcome[0].x).toHaveLength(size);
        else expect(outcome).toBe('maxBytes');
        expect(await exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
      }),
    );
  });
});

describe('sources without a server', () => {
  it('better-sqlite3: values survive a round trip', async () => {
    const db = new BetterSqlite3(join(await tempRoot(), 'fuzz.db'));
    closing.push(() => db.close());
    const { exec_sql } = createSqlTools(db);
    await holds(
      fc.asyncProperty(text, bytes, fc.integer(), async (t, y, i) => {
        const sql = 'SELECT ? AS t, ? AS y, ? AS i, ? AS d';
        expect(await exec_sql.execute({ sql, params: [t, y, i, i / 8] })).toEqual([
          { t, y: tagged(y), i, d: i / 8 + 0 },
        ]);
      }),
    );
  });

  it('a plain function: any result is converted to rows or a typed error', async () => {
    /** @type {unknown} */
    let answer;
    const run = (/** @type {string} */ sql) => (sql.startsWith('SELECT') ? answer : []);
    const { exec_sql } = createSqlTools(executor(run, { dialect: 'sqlite' }), { maxRows: 20, maxBytes: 5_000 });
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { maxLength: 30 }), async (rows) => {
        answer = rows;
        const outcome = await exec_sql.execute({ sql: 'SELECT 1' }).catch((/** @type {any} */ error) => error);
        if (Array.isArray(outcome)) expect(outcome).toHaveLength(rows.length);
        else expect(outcome).toMatchObject({ code: 'ERR_SQL' });
      }),
      { seed, numRuns: numRuns * 10 },
    );
  });
});
