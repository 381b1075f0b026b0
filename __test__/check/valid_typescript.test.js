import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { IMPORTED_FILES, TYPESCRIPT_PROGRAMS } from '../fixtures/typescript_programs.js';
import { createKernel } from '../helpers/create_kernel.js';

const require = createRequire(import.meta.url);
const DEFAULT = '\n/** Returns its argument. */\nexport default (args: { n: number }): number => args.n;\n';

/** The globals of the web platform, as docs/sandbox.md lists them. */
const WEB_GLOBALS =
  /```globals web\n(?<names>[^`]*)```/
    .exec(readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8'))
    ?.groups?.names?.trim()
    .split(/\s+/) ?? [];
/** Types of members of the globals that exist at run time: of instances, static ones, and of objects such as `console`. */
const LISTS_MEMBERS = `// @ts-nocheck
const found = [];
const names = (value) => Reflect.ownKeys(value).filter((key) => typeof key === 'string');
const INTERNAL = ['constructor', 'length', 'name', 'prototype'];
for (const name of args.globals) {
  const value = globalThis[name];
  const of = (start, keys) => { for (const key of keys) if (!INTERNAL.includes(key)) found.push(start + '[' + JSON.stringify(key) + ']'); };
  if (typeof value !== 'function') of('(typeof ' + name + ')', names(value));
  else {
    found.push('typeof ' + name);
    if (value.prototype === undefined) continue;
    of('(typeof ' + name + ')["prototype"]', names(value.prototype));
    of('(typeof ' + name + ')', names(value));
  }
}
return found;
`;
/** Names from the declarations of browsers that code for these globals uses. */
const WEB_TYPES =
  'AddEventListenerOptions AesCbcParams AesCtrParams AesGcmParams AesKeyGenParams AlgorithmIdentifier BlobPart BlobPropertyBag BodyInit BufferSource CompressionFormat CryptoKeyPair CustomEventInit EcKeyGenParams EcKeyImportParams EcdhKeyDeriveParams EcdsaParams EventInit EventListener EventListenerObject EventListenerOptions EventListenerOrEventListenerObject FilePropertyBag FormDataEntryValue HeadersInit HkdfParams HmacImportParams HmacKeyGenParams JsonWebKey KeyFormat KeyType KeyUsage Pbkdf2Params PerformanceMarkOptions PerformanceMeasureOptions QueuingStrategy QueuingStrategyInit ReadableStreamReadResult<string> ReadableWritablePair RequestInfo RequestInit RequestRedirect ResponseInit RsaHashedImportParams RsaHashedKeyGenParams RsaOaepParams RsaPssParams StructuredSerializeOptions TextDecodeOptions TextDecoderOptions Transferable Transformer URLPatternInit URLPatternResult UnderlyingByteSource UnderlyingDefaultSource UnderlyingSink UnderlyingSource'.split(
    ' ',
  );

/** Sources of the declarations of `lib.esnext`. */
function librarySources() {
  const typescript = createRequire(require.resolve('typescript/package.json'));
  const folder = join(
    dirname(typescript.resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`)),
    'lib',
  );
  return (
    readdirSync(folder)
      .filter((name) => /^lib\.(?:es|decorators)[a-z0-9.]*\.d\.ts$/.test(name) && !name.includes('legacy'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      // What a module declares is not global.
      .filter((source) => !/^export /m.test(source))
  );
}

/** The global types of `lib.esnext`, with the number of type arguments that each requires. */
function globalTypes() {
  const found = new Map();
  for (const source of librarySources()) {
    for (const match of source.matchAll(/^(?:declare )?(?<kind>interface|type) (?<name>\w+)/gm)) {
      const rest = source.slice(match.index + match[0].length);
      found.set(match.groups?.name, { kind: match.groups?.kind, required: requiredArguments(rest) });
    }
  }
  return [...found].map(([name, { kind, required }]) => ({
    name,
    kind,
    text: required > 0 ? `${name}<${Array(required).fill('never').join(', ')}>` : name,
  }));
}

/**
 * Counts the type parameters without a default at the start of a text.
 * @param {string} text
 */
function requiredArguments(text) {
  if (!text.startsWith('<')) return 0;
  const end = /^<(?:[^<>]|=>|<(?:[^<>]|=>|<[^<>]*>)*>)*>/.exec(text)?.[0] ?? '';
  const flat = end.slice(1, -1).replace(/<[^<>]*>|\([^()]*\)|\{[^{}]*\}/g, '');
  return flat.split(',').filter((parameter) => parameter.trim() && !/[^=]=[^>]/.test(parameter)).length;
}

describe('valid TypeScript', () => {
  it('is accepted in every form of the language', async () => {
    const { tools } = await createKernel({
      check: 'off',
      rules: { 'require-description': 'off', 'no-magic-numbers': 'off' },
    });
    for (const [path, content] of Object.entries(IMPORTED_FILES)) await tools.write_file.execute({ path, content });
    const refused = [];
    for (const [name, source] of Object.entries(TYPESCRIPT_PROGRAMS)) {
      await tools.write_file.execute({ path: 'tools/t.ts', content: `${source}${DEFAULT}` });
      const { errors, typesChecked } = await tools.check_tool.execute({ path: 'tools/t.ts' });
      if (errors.length > 0 || !typesChecked) refused.push([name, errors]);
    }
    expect(refused).toEqual([]);
    expect(Object.keys(TYPESCRIPT_PROGRAMS).length).toBeGreaterThanOrEqual(120);
  });

  it('may name every global type of lib.esnext', async () => {
    const types = globalTypes();
    expect(types.length).toBeGreaterThan(140);
    const lines = types.map(({ name, kind, text }) =>
      kind === 'interface' ? `export interface My${name} extends ${text} {}` : `export type My${name} = ${text};`,
    );
    const { tools } = await createKernel({ check: 'off' });
    await tools.write_file.execute({ path: 'tools/t.ts', content: `${lines.join('\n')}${DEFAULT}` });
    const report = await tools.check_tool.execute({ path: 'tools/t.ts' });
    expect(report).toMatchObject({ typesChecked: true, errors: [] });
  });

  it('may use every member of the web platform that the sandbox has, and the types that belong to it', async () => {
    const { kernel, tools } = await createKernel({ check: 'off' });
    await tools.write_file.execute({ path: 'tools/members.ts', content: LISTS_MEMBERS });
    const { result } = await kernel.exec('tools/members.ts', { globals: WEB_GLOBALS });
    const members = /** @type {string[]} */ (result);
    expect(members.length).toBeGreaterThan(300);
    const lines = [...members, ...WEB_TYPES].map((type, index) => `export type T${index} = ${type};`);
    await tools.write_file.execute({ path: 'tools/t.ts', content: `${lines.join('\n')}${DEFAULT}` });
    const { errors, typesChecked } = await tools.check_tool.execute({ path: 'tools/t.ts' });
    expect({ errors, typesChecked }).toEqual({ errors: [], typesChecked: true });
  });

  it('may call what a module of Node exports with type arguments and callbacks', async () => {
    const { tools } = await createKernel({
      check: 'off',
      allowedImports: ['async_hooks', 'zlib'],
      rules: { 'no-any': 'off' },
    });
    const content = `import { AsyncLocalStorage } from 'node:async_hooks';
import { createGunzip } from 'zlib';
const store = new AsyncLocalStorage<number>();
createGunzip().on('data', (chunk) => store.run(1, () => chunk));${DEFAULT}`;
    await tools.write_file.execute({ path: 'tools/t.ts', content });
    expect(await tools.check_tool.execute({ path: 'tools/t.ts' })).toMatchObject({ typesChecked: true, errors: [] });
    await tools.write_file.execute({ path: 'tools/t.ts', content: `export const f = (a) => a;${DEFAULT}` });
    expect((await tools.check_tool.execute({ path: 'tools/t.ts' })).errors).not.toEqual([]);
  });
});
