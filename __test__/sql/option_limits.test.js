import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../dist/boundary/limits.js';
import { ConfigError, createSqlTools, sqlite, TGP } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const source = sqlite({ file: ':memory:' });

describe('limits of the SQL tools', () => {
  it.each(Object.entries(LIMITS.sql))('refuse a %s that is out of range, by its key', (key, { least, most }) => {
    for (const value of [least - 1, most + 1, -1, 1e12, 2 ** 40, 2 ** 53]) {
      expect(() => createSqlTools(source, { [key]: value })).toThrow(
        expect.objectContaining({
          code: 'ERR_CONFIG',
          message: `The options of the SQL tools are not valid: "${key}" is not valid (must be between ${least} and ${most}, not ${value}).`,
          details: { field: key, issues: [expect.objectContaining({ key })] },
        }),
      );
    }
    for (const value of [least, most, undefined]) createSqlTools(source, { [key]: value });
  });

  it('refuse a value that is not an integer, by its key', () => {
    for (const value of [1.5, Number.NaN, '5', null]) {
      const options = /** @type {any} */ ({ maxRows: value, maxBytes: 64 });
      expect(() => createSqlTools(source, options)).toThrow(
        expect.objectContaining({
          details: { field: 'maxRows', issues: [expect.objectContaining({ key: 'maxRows' })] },
        }),
      );
    }
  });

  it('apply to the database of a kernel too', async () => {
    const config = { rootDir: await tempRoot() };
    const attempt = async () => {
      const kernel = new TGP({ config, sql: { source, maxRows: -1 } });
      await kernel.boot().finally(() => kernel.shutdown());
    };
    const error = await attempt().catch((reason) => reason);
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toContain('"maxRows" is not valid (must be between 1 and 1000000, not -1)');
  });
});
