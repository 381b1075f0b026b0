import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { native } from '../../dist/boundary/native.js';
import { limitsModule, limitsPage, withLimit, withLimitTables } from '../../scripts/limits.mjs';

const depth = {
  group: 'sandbox',
  key: 'callDepth',
  default: 12_000,
  least: 0,
  most: 32_000,
  about: "How deep a tool's tools go.",
  defaultNote: '',
};
const bytes = {
  ...depth,
  key: 'logBytes',
  default: 256 << 10,
  least: 64,
  most: 2 ** 31,
  defaultNote: 'at most a core',
};

describe('the documentation of a limit', () => {
  test('is the end of the comment of its type, wrapped at 120 columns', () => {
    const declared = (comment) =>
      `export type Other = {\n  callDepth?: number;\n};\nexport type Given = {\n${comment}  callDepth?: number;\n};\n`;
    const made = declared('  /** How deep. Default: 12 000; from 0 to 32 000. */\n');
    expect(withLimit(declared('  /** How deep. Default: 8. */\n'), 'Given', depth)).toBe(made);
    expect(withLimit(declared('  /** How deep. */\n'), 'Given', depth)).toBe(made);
    expect(withLimit(made, 'Given', depth)).toBe(made);
    const long = withLimit(declared(`  /** ${'word {@link Some Link} '.repeat(20)} */\n`), 'Given', depth);
    expect(Math.max(...long.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    expect(long).not.toMatch(/@link Some$/m);
    expect(withLimit(long, 'Given', depth)).toBe(long);
  });

  test('requires a comment in the types', () => {
    expect(() => withLimit('export type Given = {\n  callDepth?: number;\n};\n', 'Given', depth)).toThrow('callDepth');
    expect(() => withLimit('', 'Given', depth)).toThrow('callDepth');
  });

  test('is written to the tables and the text of a page', () => {
    const page = [
      '| `sandbox: { … }` | default | when |',
      '| --- | --- | --- |',
      '| `callDepth` / `logBytes` | 1 | x |',
      '| `isolation` | `process` | y |',
      '',
      'Up to `sandbox.logBytes` (1 KiB) and `fs.none` (1).',
      '',
    ].join('\n');
    const made = withLimitTables(page, [depth, bytes]);
    expect(made).toContain('| `callDepth` / `logBytes` | 12 000 / 256 KiB, at most a core | x    |');
    expect(made).toContain('| `isolation`              | `process`');
    expect(made).toContain('Up to `sandbox.logBytes` (256 KiB, at most a core) and `fs.none` (1).');
    expect(withLimitTables(made, [depth, bytes])).toBe(made);
  });

  test('is in the comments of parameters that accept it', async () => {
    const [found] = native()
      .limits()
      .filter(({ group }) => group === 'find_tool');
    const text = async (name) => readFile(new URL(`../../js/${name}`, import.meta.url), 'utf8');
    expect(await text('kernel/tgp.ts')).toContain(`most tools to return. Default: ${found?.default}.`);
    expect(await text('types/tools.ts')).toContain(`at most \`limit\` or ${found?.default}.`);
  });

  test('is generated as a JavaScript module and as a page', async () => {
    const text = limitsModule([depth, bytes], '{"rootDir":"./.tgp"}');
    const { LIMITS, DEFAULTS } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(DEFAULTS).toEqual({ rootDir: './.tgp' });
    expect(LIMITS.sandbox.callDepth).toEqual({ default: 12_000, least: 0, most: 32_000, about: depth.about });
    expect(limitsPage([depth, bytes])).toContain('from 64 bytes to 2 GiB');
    expect(limitsPage([{ ...bytes, least: 1 }])).toContain('from 1 byte to 2 GiB');
    expect(limitsPage([])).toMatch(/`network\.ca` .* 4 MiB/);
  });
});
