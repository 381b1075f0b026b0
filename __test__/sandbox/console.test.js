import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

async function sandbox() {
  const { forge } = await createKernel({ sandbox: { workers: 1, timeoutMs: 2000 } });
  return async (/** @type {string} */ source, /** @type {import('../../index.js').ExecOptions} */ options = {}) => {
    const { logs } = await forge(`${source}\nreturn 0`, {}, options);
    return logs.map(({ level, message }) => (level === 'log' ? message : `${level}: ${message}`));
  };
}

describe('console', () => {
  it('supports count, assert, group and trace', async () => {
    const lines = await sandbox();
    expect(
      await lines(`
        console.count(); console.count('a'); console.count(); console.countReset(); console.count(); console.countReset('none');
        console.assert(true, 'no'); console.assert(false); console.assert(0, 'why %s', 'x'); console.assert(null, { a: 1 });
        console.group('G', 1); console.log('in\\nside'); console.groupCollapsed(); console.warn('deep'); console.groupEnd(); console.groupEnd(); console.groupEnd();
        console.log('out'); console.dir({ a: 1 }, { depth: 0 }); console.dirxml('x', 1); console.clear(); console.profile(); console.timeStamp();
      `),
    ).toEqual([
      'default: 1',
      'a: 1',
      'default: 2',
      'default: 1',
      "warn: Count for 'none' does not exist",
      'error: Assertion failed',
      'error: Assertion failed: why x',
      'error: Assertion failed { a: 1 }',
      'G 1',
      '  in\n  side',
      'warn:     deep',
      'out',
      '{ a: 1 }',
      'x 1',
    ]);
    expect(await lines("console.trace('here', 1)")).toEqual([
      expect.stringMatching(/^debug: Trace: here 1\n {4}at .*forged\.ts:1:9/),
    ]);
  });

  it('supports format placeholders', async () => {
    const lines = await sandbox();
    expect(
      await lines(`
        console.log('%s|%d|%i|%f|%j|%o|%O|%%|%c|%x', 'a', '4.5', '4.5', '4.5', { a: 1 }, 'q', [1], 'css', 'rest', 2);
        console.log('%s'); console.log('100%', 1); console.log('%d %d', 1n); console.log('%i', -0.5, 'more'); console.log('%s', null, undefined);
        console.log(1, '%s', 2); console.log('%d', {}, Symbol('s')); console.log('a%'); console.log('%d', '');
      `),
    ).toEqual([
      `a|4.5|4|4.5|{"a":1}|'q'|[ 1 ]|%||%x rest 2`,
      '%s',
      '100% 1',
      '1n %d',
      '-0 more',
      'null undefined',
      '1 %s 2',
      'NaN Symbol(s)',
      'a%',
      '0',
    ]);
  });

  it('draws tables', async () => {
    const lines = await sandbox();
    const [table, map, columns, plain] = await lines(`
      console.table([{ a: 1, b: 'x' }, { a: 2, c: true }, 5]);
      console.table(new Map([['k', 1]]));
      console.table([{ a: 1, b: 2 }], ['b']);
      console.table('text');
    `);
    expect(table).toBe(
      [
        '┌─────────┬───┬─────┬──────┬────────┐',
        '│ (index) │ a │ b   │ c    │ Values │',
        '├─────────┼───┼─────┼──────┼────────┤',
        "│ 0       │ 1 │ 'x' │      │        │",
        '│ 1       │ 2 │     │ true │        │',
        '│ 2       │   │     │      │ 5      │',
        '└─────────┴───┴─────┴──────┴────────┘',
      ].join('\n'),
    );
    expect(map).toContain('(iteration index)');
    expect(columns).toContain('│ 0       │ 2 │');
    expect(plain).toBe('text');
  });

  it('measures by the clock of the run', async () => {
    const lines = await sandbox();
    expect(
      await lines(
        "console.time(); console.time('a'); console.timeLog('a', 'x'); console.timeEnd(); console.timeEnd('none'); console.time('a');",
        { now: 0 },
      ),
    ).toEqual([
      'a: 1ms x',
      'default: 3ms',
      "warn: No such label 'none' for console.timeEnd()",
      "warn: Label 'a' already exists for console.time()",
    ]);
  });
});
