/** What docs/sandbox.md says of the language, the clock, the locale, promises and names that are refused. */

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const LIMITS = { timeoutMs: 2000, wallMs: 5000 };

/** @param {string} source */
async function guest(source) {
  const { forge } = await createKernel({ sandbox: LIMITS, check: 'off' });
  return (await forge(source)).result;
}

describe('the language of tools', () => {
  it('has the decorators of the standard, for classes, methods, accessors and fields', async () => {
    const result = await guest(`
      const seen: string[] = [];
      const note = (_: unknown, context: DecoratorContext) => { seen.push(context.kind + ' ' + String(context.name)) };
      const twice = (_: undefined, context: ClassFieldDecoratorContext) => (value: number) => value * 2;
      const least = <T,>(target: ClassAccessorDecoratorTarget<T, number>, context: ClassAccessorDecoratorContext) => ({
        set(this: T, value: number) { target.set.call(this, Math.max(1, value)) },
      });
      const bound = (method: Function, context: ClassMethodDecoratorContext) => {
        context.addInitializer(function (this: any) { this[context.name] = method.bind(this) });
      };
      @note class Config {
        @twice size = 2;
        @least accessor port = 5;
        @note get at() { return 'a@b.test' }
        @bound @note read() { return this.size }
      }
      export default () => {
        const config = new Config();
        config.port = 0;
        const { read } = config;
        return [read(), config.port, seen.sort()];
      };
    `);
    expect(result).toEqual([4, 1, ['class Config', 'getter at', 'method read']]);
    await expect(guest('class A { m(@d x: number) {} } function d() {} export default () => 1')).rejects.toMatchObject({
      code: 'ERR_COMPILATION',
    });
  });

  it('keeps the names of globals in a text with an @', async () => {
    const result = await guest(`
      class List { mail = 'a@b.test'; get [Symbol.toStringTag]() { return 'List' } *[Symbol.iterator]() { yield this.mail } }
      export default () => [String(new List()), [...new List()], Symbol('x').description];
    `);
    expect(result).toEqual(['[object List]', ['a@b.test'], 'x']);
  });

  it('has no JSX', async () => {
    await expect(guest('export default () => <p>text</p>')).rejects.toMatchObject({
      code: 'ERR_COMPILATION',
      message: expect.stringContaining('JSX is not supported: a tool returns data, not markup.'),
    });
  });
});

describe('time and locale', () => {
  it('are always UTC and en-US', async () => {
    const { TZ, LANG } = process.env;
    process.env.TZ = 'Asia/Tokyo';
    process.env.LANG = 'de_DE.UTF-8';
    try {
      const result = await guest(`
        const { timeZone, locale } = Intl.DateTimeFormat().resolvedOptions();
        const berlin = new Date(0).toLocaleString('de-DE', { timeZone: 'Europe/Berlin' });
        return [timeZone, locale, new Date(0).getTimezoneOffset(), new Date(0).toLocaleString(), (1234.5).toLocaleString(), berlin];
      `);
      expect(result).toEqual(['UTC', 'en-US', 0, '1/1/1970, 12:00:00 AM', '1,234.5', '1.1.1970, 01:00:00']);
    } finally {
      Object.assign(process.env, { TZ: TZ ?? '', LANG: LANG ?? '' });
      if (TZ === undefined) delete process.env.TZ;
      if (LANG === undefined) delete process.env.LANG;
    }
  });
});

describe('a promise that rejects', () => {
  const wait = 'await new Promise((done) => setTimeout(done, 5));';

  it.each([
    ['while the tool waits', `Promise.reject(new RangeError('lost')); ${wait} return 1;`],
    ['when the tool returns', `Promise.reject(new RangeError('lost')); return 1;`],
  ])('without a handler, %s, fails the run', async (_when, body) => {
    await expect(guest(`export default async () => { ${body} }`)).rejects.toMatchObject({
      code: 'ERR_TOOL_THROWN',
      message: 'lost (in a promise that the tool did not await)',
      details: { name: 'RangeError' },
    });
  });

  it('may get its handler late', async () => {
    const body = `const promise = Promise.reject(new Error('late')); ${wait} return promise.catch((error) => error.message);`;
    expect(await guest(`export default async () => { ${body} }`)).toBe('late');
  });
});

describe('Buffer', () => {
  const config = { sandbox: LIMITS, allowedImports: ['buffer'] };

  it.each([
    ['a module', "export default () => Buffer.from('hi').toString('hex');"],
    [
      'a module with types',
      "const hex = (text: string): Buffer => Buffer.from(text); export default () => hex('hi').toString('hex');",
    ],
    ['a script', "return Buffer.from('hi').toString('hex')"],
    ['a module with top-level await', "await null; export default Buffer.from('hi').toString('hex');"],
    ['an imported module', "import { hex } from './hex'; export default () => hex('hi');"],
  ])('is a global of %s if tools may import it', async (_kind, source) => {
    const { tools, forge, kernel } = await createKernel(config);
    const content = "export const hex = (text: string): string => Buffer.from(text).toString('hex');";
    await tools.write_file.execute({ path: 'tools/test/hex.ts', content });
    expect((await forge(source)).result).toBe('6869');
    const { diagnostics } = await kernel.check('tools/test/hex.ts');
    expect(diagnostics.filter(({ message }) => message.includes('Buffer'))).toEqual([]);
  });

  it('is one class, and a name that a tool may declare', async () => {
    const { forge } = await createKernel({ ...config, check: 'off' });
    const same =
      "import { Buffer as Imported } from 'node:buffer'; export default () => [Buffer === Imported, 'Buffer' in globalThis]";
    expect((await forge(same)).result).toEqual([true, false]);
    expect((await forge('class Buffer { at = 1 } return new Buffer().at')).result).toBe(1);
    const { forge: without } = await createKernel({ sandbox: LIMITS, check: 'off' });
    expect((await without('return typeof Buffer')).result).toBe('undefined');
  });
});

describe('refused globals', () => {
  it('are those of docs/sandbox.md, in the check and at run time', async () => {
    const page = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
    const names = String(/```refused globals\n([\s\S]*?)```/.exec(page)?.[1])
      .trim()
      .split(/\s+/);
    const { kernel, tools, forge } = await createKernel({ sandbox: LIMITS, check: 'off' });
    const uses = names.map((name) => `() => ${name}`);
    const refused = [];
    // A report has at most 20 findings of one rule.
    for (const part of [uses.slice(0, 15), uses.slice(15)]) {
      const content = `export default () => [${part.join(', ')}].length;`;
      await tools.write_file.execute({ path: 'tools/all.ts', content });
      const { diagnostics } = await kernel.check('tools/all.ts');
      refused.push(...diagnostics.flatMap(({ message }) => /Global '(\w+)' is forbidden/.exec(message)?.[1] ?? []));
    }
    expect(refused.sort()).toEqual([...names].sort());
    const { result } = await forge(
      `return [${uses.join(', ')}].map((use: any) => { try { return String(use()) } catch (error: any) { return error.name } })`,
    );
    expect(result).toEqual(names.map(() => 'ReferenceError'));
    const rules = await readFile(
      new URL('../../crates/compile/src/rules/no_forbidden_globals.rs', import.meta.url),
      'utf8',
    );
    const absent = [...(/const ABSENT[\s\S]*?\n\];/.exec(rules)?.[0] ?? '').matchAll(/^ {4,8}\(?"(\w+)",/gm)];
    expect(absent.map(([, name]) => name).sort()).toEqual([...names].sort());
  });
});
