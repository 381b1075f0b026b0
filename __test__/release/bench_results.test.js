import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fresh, isOfThisMachine, joined } from '../../benches/results.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const bench = (/** @type {string} */ date) => ({ date, seconds: 1, load: '0', failed: false, measures: [] });

test('new figures are joined with those of full runs on the same machine, and with no others', async () => {
  const file = join(await tempRoot(), 'results.json');
  const now = { ...fresh(false), benches: { warm_exec: bench('new') } };
  expect(isOfThisMachine(file, now)).toBe(true);
  expect(joined(file, now)).toEqual(now);
  const before = { ...fresh(false), benches: { warm_exec: bench('old'), kill_matrix: bench('old') } };
  await writeFile(file, JSON.stringify(before));
  expect(joined(file, now).benches).toEqual({ warm_exec: bench('new'), kill_matrix: bench('old') });
  await writeFile(file, JSON.stringify({ ...before, quick: true }));
  expect(joined(file, now).benches).toEqual(now.benches);
  await writeFile(file, JSON.stringify({ ...before, machine: { ...before.machine, cores: 1000 } }));
  expect(isOfThisMachine(file, now)).toBe(false);
  expect(joined(file, now).benches).toEqual(now.benches);
});
