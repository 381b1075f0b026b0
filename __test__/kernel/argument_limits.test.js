import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../dist/boundary/limits.js';
import { createKernel } from '../helpers/create_kernel.js';

/** @type {Record<string, object>} */
const OTHER_ARGUMENTS = {
  find_tool: { query: 'sum' },
  search_files: { pattern: 'sum' },
  file_history: { path: 'tools/a.ts' },
};

describe('the limit of a call', () => {
  it.each(Object.entries(OTHER_ARGUMENTS))('out of range is refused by %s, with one reason', async (name, args) => {
    const { kernel, tools } = await createKernel();
    const { least, most } = LIMITS[name].limit;
    const calls = [(/** @type {number} */ limit) => tools[name].execute({ ...args, limit })];
    if (name === 'file_history') calls.push((limit) => kernel.git.log('tools/a.ts', { limit }));
    for (const call of calls) {
      for (const limit of [least - 1, most + 1, -1, 2 ** 32 + 1, 2 ** 53]) {
        const error = await call(limit).catch((/** @type {unknown} */ reason) => reason);
        expect(error).toMatchObject({ code: 'ERR_VALIDATION', details: { field: 'limit' } });
        expect(error.details.issues).toEqual([
          { key: 'limit', message: `"limit" is not valid (must be between ${least} and ${most}, not ${limit})` },
        ]);
      }
      for (const limit of [least, most, undefined]) await call(limit);
    }
  });

  it('is twenty commits by default for a history', async () => {
    const { kernel, tools } = await createKernel();
    for (let version = 0; version < 22; version++) {
      await tools.write_file.execute({ path: 'tools/a.ts', content: `return ${version}` });
    }
    expect(await kernel.git.log('tools/a.ts')).toHaveLength(20);
    expect(await kernel.git.log('tools/a.ts', { limit: 1000 })).toHaveLength(22);
  });
});
