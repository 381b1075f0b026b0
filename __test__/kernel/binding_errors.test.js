import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

const binding = createRequire(import.meta.url)('../../binding.cjs');

const nothing = () => {};

describe('the addon answers invalid crossings with typed errors', () => {
  it('an unknown dialect is the error of the boot', async () => {
    const kernel = new binding.BindingKernel([], [], 'klingon', nothing, nothing);
    const { value, error } = await kernel.boot('{}', '.', undefined, 'absent', '{}');
    expect(value).toBeFalsy();
    expect(error).toMatchObject({ code: 'ERR_VALIDATION', message: expect.stringContaining('The SQL dialect') });
  });

  it('arguments that are not JSON are the error of the read', async () => {
    const kernel = new binding.BindingKernel([], [], undefined, nothing, nothing);
    const { value, error } = await kernel.read('list_files', '{"dir":', undefined);
    expect(value).toBeFalsy();
    expect(error).toMatchObject({ code: 'ERR_VALIDATION', message: expect.stringContaining('list_files') });
  });

  it('an unknown dialect or invalid options are errors of the table rules', () => {
    const rules = new binding.BindingSqlRules('{}');
    expect(rules.allowsTable(null, 'items', 'sqlite')).toMatchObject({ value: 'true' });
    expect(rules.deniesTable('items')).toMatchObject({ value: 'false' });
    expect(rules.allowsTable(null, 'items', 'klingon').error).toMatchObject({ code: 'ERR_VALIDATION' });
    const invalid = new binding.BindingSqlRules('{"maxRows":');
    expect(invalid.allowsTable(null, 'items', 'sqlite').error).toMatchObject({ code: 'ERR_CONFIG' });
    expect(invalid.deniesTable('items').error).toMatchObject({ code: 'ERR_CONFIG' });
  });
});
