import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createSqlTools, prisma } from '../../index.js';
import { hasServer } from '../../tools/database_server.mjs';
import { prismaClient, wantsPrisma } from '../helpers/prisma_client.js';
import { ownDatabase } from '../helpers/shared_servers.js';
import { sqlKernel } from '../helpers/sql_kernel.js';

describe.skipIf(!wantsPrisma() || !hasServer('postgres'))('Prisma', () => {
  it('is detected by its shape, commits, rolls back, and returns plain values', async () => {
    const server = await ownDatabase('postgres');
    const settings = server.settings;
    const oracle = new pg.Client(settings);
    await oracle.connect();
    const client = prismaClient(settings);
    try {
      await oracle.query('CREATE TABLE items (id serial PRIMARY KEY, name text)');
      const { forge } = await sqlKernel(client);
      const run = await forge(
        "const [{ id }] = await tgp.exec_sql('INSERT INTO items (name) VALUES (:name) RETURNING id', { name: args.name }); const changed = await tgp.exec_sql('UPDATE items SET name = $1 WHERE id = $2', [args.name, id]); if (args.fail) throw new Error('no'); return changed;",
      );
      expect((await run({ name: 'x' })).result).toEqual([{ affected: 1 }]);
      await expect(run({ name: 'x', fail: true })).rejects.toThrow('no');
      const swallow = await forge(
        "await tgp.exec_sql(\"INSERT INTO items (name) VALUES ('s')\"); try { await tgp.exec_sql('SELECT * FROM missing') } catch {} return 1;",
      );
      await expect(swallow()).rejects.toMatchObject({ code: 'ERR_SQL' });
      expect((await oracle.query('SELECT count(*) AS n FROM items')).rows).toEqual([{ n: '1' }]);
      const { exec_sql } = createSqlTools(prisma(client));
      const sql =
        "SELECT count(*) AS n, 9223372036854775807::int8 AS big, 1.50::numeric AS exact, '\\x00ff07'::bytea AS bytes FROM items";
      expect(await exec_sql.execute({ sql })).toEqual([
        { n: 1, big: '9223372036854775807', exact: expect.stringMatching(/^1\.50?$/), bytes: { $base64: 'AP8H' } },
      ]);
      const strict = createSqlTools(client, { statementTimeoutMs: 200, readOnly: true });
      await expect(strict.exec_sql.execute({ sql: 'SELECT pg_sleep(30)::text' })).rejects.toMatchObject({
        code: 'ERR_SQL',
      });
      const next = "SELECT nextval('items_id_seq')";
      await expect(strict.exec_sql.execute({ sql: next })).rejects.toThrow(/read-only/);
    } finally {
      await client.$disconnect();
      await oracle.end();
      await server.stop();
    }
  }, 600_000);
});
