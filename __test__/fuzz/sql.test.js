import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createSqlTools, sqlite, TGPError } from '../../index.js';
import { forAll, TIMEOUT_MS, texts } from '../helpers/for_all.js';
import { tempRoot } from '../helpers/temp_root.js';

const PIECES = [
  'SELECT ',
  '* ',
  'a ',
  'FROM ',
  't ',
  'WHERE ',
  'a = 1 ',
  'WITH c AS (',
  ') ',
  '(',
  ', ',
  '; ',
  'INSERT INTO t VALUES (9) ',
  'DELETE FROM t ',
  'UPDATE t SET a = 2 ',
  'RETURNING a ',
  'UNION ',
  'EXPLAIN ',
  'PRAGMA ',
  'user_version = 3 ',
  'writable_schema = 1 ',
  'CREATE TABLE x (a) ',
  'DROP TABLE t ',
  "ATTACH 'x' AS y ",
  'VACUUM ',
  'REPLACE INTO t VALUES (1) ',
  '-- ',
  '/* ',
  '*/ ',
  '\n',
  "'",
  '"',
  '`',
  '[',
  ']',
  '\\',
  '\u00a0',
  '\ufeff',
  '\0',
];

it('random statements do not change a database that is read-only for tools', { timeout: TIMEOUT_MS }, async () => {
  const file = join(await tempRoot(), 'fuzz.db');
  const source = sqlite(file);
  const owner = createSqlTools(source, { ddl: true }).exec_sql;
  await owner.execute({ sql: 'CREATE TABLE t (a)' });
  await owner.execute({ sql: 'INSERT INTO t VALUES (1)' });
  const { exec_sql } = createSqlTools(source, { readOnly: true });
  const state = async () => [
    await owner.execute({ sql: 'SELECT * FROM t' }),
    await owner.execute({ sql: "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'" }),
    await owner.execute({ sql: 'PRAGMA user_version' }),
  ];
  const before = await state();
  expect(before[0]).toEqual([{ a: 1 }]);
  await forAll(
    'read-only database',
    texts(PIECES, 10),
    async (sql) => {
      const found = await exec_sql.execute({ sql }).catch((error) => error);
      if (found instanceof Error) expect(found).toBeInstanceOf(TGPError);
      expect(await state()).toEqual(before);
    },
    { runs: 400, examples: ['WITH c AS (SELECT 1) DELETE FROM t', 'EXPLAIN VACUUM', 'SELECT 1; DROP TABLE t'] },
  );
  await source.close?.();
});
