import { describe, expect, it } from 'vitest';
import { sqlite, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

/** Enough for a busy machine. */
const ROOMY = { sandbox: { timeoutMs: 5000 } };
const FILE = 'tools/test/forged.ts';
/** Types that push every line of the source away from its line in the compiled code. */
const TYPES = 'interface Row {\n  id: number;\n}\ntype Unused = {\n  row: Row;\n};\n';
const lines = (/** @type {string} */ text) => text.split('\n');

describe('the stack of an error, in positions of the TypeScript source', () => {
  it('is the same when a tool reads, logs and throws it, with frames of tools only', async () => {
    const { forge } = await createKernel(ROOMY);
    const source = `${TYPES}
function inner(why: string): Error {
  return new Error(why);
}
export default async (args: { throws?: boolean }) => {
  const read = inner('read').stack!;
  console.error(inner('logged'));
  console.log({ nested: [inner('deep')] });
  const [mapped] = [1].map(() => new Error('mapped').stack!);
  await null;
  const later = inner('later').stack!;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder);
  if (args.throws) throw inner('thrown');
  return { read, mapped, later, captured: holder.stack };
};`;
    const { result, logs } = await forge(source, {});
    expect(lines(result.read)).toEqual([
      'Error: read',
      `    at inner (${FILE}:9:10)`,
      expect.stringContaining(`${FILE}:12:16`),
    ]);
    expect(lines(result.mapped)).toEqual([
      'Error: mapped',
      `    at ${FILE}:15:34`,
      '    at Array.map (<anonymous>)',
      expect.stringContaining(`${FILE}:15:24`),
    ]);
    expect(lines(result.later)).toEqual([
      'Error: later',
      `    at inner (${FILE}:9:10)`,
      expect.stringContaining(`${FILE}:17:17`),
    ]);
    expect(lines(result.captured)[1]).toContain(`${FILE}:19:9`);
    expect(lines(logs[0].message)).toEqual([
      'Error: logged',
      `    at inner (${FILE}:9:10)`,
      expect.stringContaining(`${FILE}:13:17`),
    ]);
    expect(logs[1].message).toContain(`at inner (${FILE}:9:10)`);
    expect(JSON.stringify({ result, logs })).not.toMatch(/bootstrap|async start|at load/);
    const error = await forge(source, { throws: true }).catch((error) => error);
    expect(error).toMatchObject({ message: 'thrown', line: 9, column: 10 });
  });

  it('is the same if the tool reads it before it throws, and does not count in stats', async () => {
    const { forge } = await createKernel(ROOMY);
    const error = await forge(`${TYPES}\nconst error = new Error('x');\nconsole.log(error.stack);\nthrow error;`).catch(
      (e) => e,
    );
    expect(error).toMatchObject({ line: 8, column: 15 });
    expect(error.details.stack).toBe(`Error: x\n    at Object.<anonymous> (${FILE}:8:15)`);
    expect(error.details.logs).toEqual([{ level: 'log', message: error.details.stack }]);
    expect(error.details.stats.hostCalls).toBe(0);
  });

  it('points to an imported tool, or to the tool that called the library', async () => {
    const { forge, tools } = await createKernel(ROOMY);
    const lib = `${TYPES}export const fail = () => {\n  throw new Error('from lib');\n};\n`;
    await tools.write_file.execute({ path: 'tools/test/lib.ts', content: lib });
    const imported = await forge("import { fail } from './lib';\n\nexport default () => fail();").catch((e) => e);
    expect(imported).toMatchObject({ message: 'from lib', line: 8, details: { file: 'tools/test/lib.ts' } });
    expect(lines(imported.details.stack)[2]).toContain(`${FILE}:3:`);
    const std = await forge(
      "import { add } from '@tgp/std/money';\n\nexport default () => add(null as any, 1 as any);",
    ).catch((e) => e);
    expect(std).toMatchObject({ line: 3, details: { file: FILE } });
  });

  it('is available to Error.prepareStackTrace of the tool', async () => {
    const { forge } = await createKernel(ROOMY);
    const { result } = await forge(`${TYPES}
Error.prepareStackTrace = (_: unknown, sites: any[]) => sites.map((site) => [site.getLineNumber(), site.getColumnNumber(), String(site)]);
return new Error('x').stack;`);
    expect(result).toEqual([[9, 8, expect.stringContaining(`${FILE}:9:8`)]]);
  });

  it('can be read 10000 times, and after a stack overflow', async () => {
    const { forge } = await createKernel(ROOMY);
    const { result } = await forge(`${TYPES}
let all = 0;
for (let i = 0; i < 10000; i++) if (new Error('x').stack!.includes('${FILE}:9:37')) all++;
const dive = (): void => { dive() };
try { dive() } catch (error: any) { return [all, error.stack.includes('${FILE}:10:')] }`);
    expect(result).toEqual([10_000, true]);
  });
});

describe('errors of the host have the position of the call', () => {
  const api = {
    fail: () => {
      throw new Error('no such user');
    },
    later: async () => {
      await null;
      throw new Error('no such order');
    },
    object: () => {
      throw { code: 'P2002', message: 'Unique constraint failed' };
    },
    odd: () => {
      throw { sku: 7 };
    },
  };
  /** Calls that fail, and their error codes. */
  const CALLS = {
    'a query': ["tgp.exec_sql('SELECT nothing FROM nowhere')", 'ERR_SQL'],
    'a request': ["tgp.fetch('http://elsewhere.example/')", 'ERR_SECURITY_VIOLATION'],
    'the global fetch': ["fetch('http://elsewhere.example/')", 'ERR_SECURITY_VIOLATION'],
    'a function': ['tgp.fail()', 'ERR_TOOL_THROWN'],
    'an async function': ['tgp.later()', 'ERR_TOOL_THROWN'],
    'another tool': ["tgp.exec_tool('tools/none.ts')", 'ERR_NOT_FOUND'],
    'a file': ["tgp.read_file('none.txt')", 'ERR_NOT_FOUND'],
  };
  for (const [name, [call, code]] of Object.entries(CALLS)) {
    it(name, async () => {
      const { forge } = await createKernel(ROOMY, { sql: sqlite(':memory:'), sandboxAPI: api });
      const forms = {
        awaited: `${TYPES}export default async () => {\n  const rows = await ${call};\n  return rows;\n};`,
        returned: `${TYPES}export default () => {\n  return      ${call};\n};`,
        together: `${TYPES}export default () => {\n  return Promise.all([null, ${call}]);\n};`,
        chained: `${TYPES}export default async () => {\n  return (await null, ${call});\n};`,
      };
      for (const [form, source] of Object.entries(forms)) {
        const error = await forge(source).catch((error) => error);
        expect({ form, code: error.code, line: error.details.line, file: error.details.file }).toEqual({
          form,
          code,
          line: 8,
          file: FILE,
        });
        expect(error.details.column).toBeGreaterThan(5);
        expect(error.details.stack).not.toMatch(/bootstrap/);
      }
      // A failed statement fails the run even if the tool catches the error; the error has the logs.
      const caught = await forge(
        `${TYPES}export default async () => {\n  try {\n    return await ${call};\n  } catch (error: any) {\n    console.error(error);\n    return error.stack;\n  }\n};`,
      ).catch((error) => error.details);
      expect(caught.logs[0].message).toContain(`${FILE}:9:`);
      expect(caught.logs[0].message).not.toMatch(/bootstrap|async start/);
      if (code !== 'ERR_SQL') expect(caught.result).toBe(caught.logs[0].message);
    });
  }

  it('exec_tool reports the position to a model', async () => {
    const { kernel, tools } = await createKernel(ROOMY, { sql: sqlite(':memory:') });
    await tools.write_file.execute({
      path: 'tools/q.ts',
      content: `${TYPES}export default () => tgp.exec_sql('SELECT x FROM nowhere');`,
    });
    expect(await tgpTools(kernel).exec_tool.execute({ path: 'tools/q.ts' })).toMatchObject({
      success: false,
      code: 'ERR_SQL',
      line: 7,
      column: 26,
    });
  });

  it('thrown messages are unchanged', async () => {
    const { forge } = await createKernel(ROOMY, { sandboxAPI: api });
    const messageOf = (/** @type {string} */ source) =>
      forge(source).then(
        ({ result }) => result,
        ({ message, details }) => [message, details.name],
      );
    expect(await messageOf('await tgp.object()')).toEqual(['Unique constraint failed', 'Error']);
    expect(await messageOf('await tgp.odd()')).toEqual(['{ sku: 7 }', 'Error']);
    expect(await messageOf("throw { message: 'no stock', sku: 7 }")).toEqual(['no stock', undefined]);
    expect(await messageOf("throw { name: 'StockError', message: 'no stock' }")).toEqual(['no stock', 'StockError']);
    expect(await messageOf('throw { sku: 7 }')).toEqual(['{ sku: 7 }', undefined]);
    expect(await messageOf("throw 'text'")).toEqual(['text', undefined]);
    const changed = await forge(
      "const error = new Error('first');\nconst before = error.stack;\nerror.message = 'second';\nconsole.error(error);\nthrow error;",
    ).catch((error) => error);
    expect(changed).toMatchObject({ message: 'second', line: 1 });
    expect(changed.details.stack).toMatch(/^Error: second\n {4}at /);
    expect(changed.details.logs[0].message).toMatch(/^Error: second\n {4}at /);
    const quotes = await forge("const inner = new Error('inner');\nthrow new Error('outer: ' + inner.stack);").catch(
      (error) => error,
    );
    expect(quotes.message).toMatch(/^outer: Error: inner\n {4}at /);
    expect(lines(quotes.details.stack)).toHaveLength(3);
    const wraps = await forge(
      "const error = new Error(new Error('inner').stack);\nconst before = error.stack;\nerror.message = 'user 7: ' + error.message;\nconsole.error(error);\nthrow error;",
    ).catch((error) => error);
    expect(lines(wraps.details.stack)).toEqual([
      'Error: user 7: Error: inner',
      `    at Object.<anonymous> (${FILE}:1:25)`,
      `    at Object.<anonymous> (${FILE}:1:15)`,
    ]);
    expect(lines(wraps.details.logs[0].message)).toHaveLength(3);
    const host = await forge(
      "try { await tgp.fail() } catch (error: any) { error.message = 'user 7: ' + error.message; throw error }",
    ).catch((e) => e);
    expect(host).toMatchObject({ message: 'user 7: no such user', line: 1 });
    expect(host.details.stack).toMatch(/^Error: user 7: no such user\n {4}at /);
  });
});
