/** A missing database file is created for a caller that may write, and for no other. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const ROWS = '/** Counts. */\nexport default async (): Promise<unknown> => tgp.exec_sql("SELECT 1 AS one");\n';

test('with readOnly a missing file is an error that names it, for agents and for tools', async () => {
  const folder = await tempRoot();
  const file = join(folder, 'shop.db');
  const source = sqlite(file);
  const missing = { code: 'ERR_SQL', message: expect.stringMatching(/^The database file "shop\.db" does not exist/) };
  const { exec_sql } = createSqlTools(source, { readOnly: true });
  await expect(exec_sql.execute({ sql: 'SELECT 1' })).rejects.toMatchObject(missing);
  const { kernel, tools } = await createKernel({}, { sql: { source, readOnly: true } });
  await tools.write_file.execute({ path: 'tools/rows.ts', content: ROWS });
  await expect(kernel.exec('tools/rows.ts')).rejects.toMatchObject(missing);
  expect(existsSync(file)).toBe(false);

  // The application creates it: the same adapter works then.
  await createSqlTools(sqlite(file), { ddl: true }).exec_sql.execute({ sql: 'CREATE TABLE t (n INTEGER)' });
  expect(await exec_sql.execute({ sql: 'SELECT count(*) AS n FROM t' })).toEqual([{ n: 0 }]);
  expect((await kernel.exec('tools/rows.ts')).result).toEqual([{ one: 1 }]);
});

test('a database in memory can be read only', async () => {
  const { exec_sql } = createSqlTools(sqlite(':memory:'), { readOnly: true });
  expect(await exec_sql.execute({ sql: 'SELECT 1 AS one' })).toEqual([{ one: 1 }]);
});
