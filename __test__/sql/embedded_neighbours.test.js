import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Exceeds the memory limit of a database, slowly. */
const GREEDY = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
  SELECT count(*) FROM (SELECT DISTINCT hex(randomblob(500)) FROM n)`;
/** Needs some 20 MB, more than the memory reserved for each database. */
const MODEST = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000)
  SELECT count(*) AS x FROM (SELECT DISTINCT hex(randomblob(500)) FROM n)`;

it('a statement that exhausts the memory limit of one database does not affect other databases', async () => {
  const open = async () => {
    const file = join(await tempRoot(), 'test.db');
    // With readOnly a missing file is not created.
    await writeFile(file, '');
    const source = sqlite(file);
    onTestFinished(() => source.close?.());
    return createSqlTools(source, { readOnly: true, statementTimeoutMs: 20_000 }).exec_sql;
  };
  const [greedy, modest] = [await open(), await open()];
  let isOver = false;
  const greed = (async () => {
    const statements = Array.from({ length: 4 }, () =>
      greedy.execute({ sql: GREEDY }).catch((error) => error.details?.reason),
    );
    const reasons = await Promise.all(statements);
    isOver = true;
    return reasons;
  })();
  let answers = 0;
  do {
    expect(await modest.execute({ sql: MODEST })).toEqual([{ x: 5000 }]);
    answers++;
  } while (!isOver);
  expect(await greed).toEqual(['memory', 'memory', 'memory', 'memory']);
  expect(answers).toBeGreaterThan(0);
});
