import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createSqlTools, sqlite } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Needs more memory than a database may have, and takes its time to get it. */
const GREEDY = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
  SELECT count(*) FROM (SELECT DISTINCT hex(randomblob(500)) FROM n)`;
/** Needs a few megabytes. */
const MODEST = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
  SELECT length(group_concat(hex(randomblob(500)))) AS x FROM n`;

it('statements of one database that need all the memory leave the others theirs', async () => {
  const open = async () => {
    const source = sqlite(join(await tempRoot(), 'test.db'));
    onTestFinished(() => source.close?.());
    return createSqlTools(source, { readOnly: true, statementTimeoutMs: 20_000 }).exec_sql;
  };
  const [greedy, modest] = [await open(), await open()];
  let isOver = false;
  const greed = (async () => {
    const reasons = new Set();
    for (let round = 0; round < 6; round++) {
      const rounds = Array.from({ length: 4 }, () => greedy.execute({ sql: GREEDY }).catch((error) => error.details?.reason));
      for (const reason of await Promise.all(rounds)) reasons.add(reason);
    }
    isOver = true;
    return reasons;
  })();
  let answers = 0;
  while (!isOver) {
    expect(await modest.execute({ sql: MODEST })).toEqual([{ x: 2_001_999 }]);
    answers++;
  }
  expect([...(await greed)].every((reason) => reason === 'memory')).toBe(true);
  expect(answers).toBeGreaterThan(3);
}, 120_000);
