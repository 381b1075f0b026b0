import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryVFS, createNodeVFS, loadTGPConfig, TGP, TGPError, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const PATH = 'tools/t.ts';

/** Values of every type, and values that throw when they are read. */
const throwing = () => {
  throw new Error('not for you');
};
const HOSTILE = {
  null: null,
  'a number': 5,
  'a negative number': -1,
  'not a number': Number.NaN,
  'a huge number': 2 ** 53,
  'a boolean': true,
  'a symbol': Symbol('x'),
  'a bigint': 5n,
  'an array': [],
  'an unknown key': { sgnal: 1 },
  'a function': () => {},
  'a getter that throws': Object.defineProperty({}, 'limit', { get: throwing, enumerable: true }),
  'a proxy that throws': new Proxy({}, { get: throwing, has: throwing, ownKeys: throwing, getPrototypeOf: throwing }),
};
/** Values that some arguments accept. */
const EMPTY_OBJECT = { 'an object': {} };
const TEXTS = { 'an empty text': '' };

/** @type {string} */
let folder;
/** @type {TGP} */
let kernel;
/** @type {ReturnType<typeof tgpTools>} */
let tools;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tgp-wrong-'));
  kernel = new TGP({ config: { rootDir: join(folder, '.tgp') }, logger: QUIET });
  tools = tgpTools(kernel);
  await tools.write_file.execute({ path: PATH, content: 'return 1' });
});
afterAll(async () => {
  await kernel.shutdown();
  await rm(folder, { recursive: true });
});

/**
 * Every public method with each of its arguments. `accepted` names the valid values, `extra` adds invalid ones.
 * @type {[string, (value: any) => unknown, { accepted?: string[], extra?: Record<string, unknown> }?][]}
 */
const CALLS = [
  ['exec: path', (value) => kernel.exec(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['exec: options', (value) => kernel.exec(PATH, {}, value), { extra: TEXTS }],
  ['exec: signal', (value) => kernel.exec(PATH, {}, { signal: value }), { extra: EMPTY_OBJECT }],
  ['exec: timeoutMs', (value) => kernel.exec(PATH, {}, { timeoutMs: value }), { accepted: ['a number'] }],
  ['exec: seed', (value) => kernel.exec(PATH, {}, { seed: value }), { accepted: ['a number'], extra: EMPTY_OBJECT }],
  ['check: path', (value) => kernel.check(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['check: options', (value) => kernel.check(PATH, value)],
  ['check: signal', (value) => kernel.check(PATH, { signal: value }), { extra: EMPTY_OBJECT }],
  ['fix: path', (value) => kernel.fix(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['fix: options', (value) => kernel.fix(PATH, value)],
  ['fix: signal', (value) => kernel.fix(PATH, { signal: value }), { extra: EMPTY_OBJECT }],
  ['find: query', (value) => kernel.find(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['find: options', (value) => kernel.find('x', value)],
  [
    'find: limit',
    (value) => kernel.find('x', { limit: value }),
    { accepted: ['a number'], extra: { zero: 0, text: '5' } },
  ],
  ['find: signal', (value) => kernel.find('x', { signal: value }), { extra: EMPTY_OBJECT }],
  ['tools: options', (value) => kernel.tools(value)],
  ['tools: limit', (value) => kernel.tools({ limit: value }), { accepted: ['a number', 'a huge number'] }],
  ['liveTools: base', (value) => kernel.liveTools(value), { accepted: ['an array', 'an unknown key', 'a function'] }],
  [
    'onToolsChanged: listener',
    (value) => kernel.onToolsChanged(value),
    { accepted: ['a function'], extra: EMPTY_OBJECT },
  ],
  ['getSystemPrompt: options', (value) => kernel.getSystemPrompt(value)],
  ['getSystemPrompt: maxTokens', (value) => kernel.getSystemPrompt({ maxTokens: value }), { extra: EMPTY_OBJECT }],
  ['shutdown: options', (value) => kernel.shutdown(value)],
  ['shutdown: pushTimeoutMs', (value) => kernel.shutdown({ pushTimeoutMs: value }), { accepted: ['a number'] }],
  ['git.persist: message', (value) => kernel.git.persist(value, []), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['git.persist: files', (value) => kernel.git.persist('x', value), { accepted: ['an array'], extra: EMPTY_OBJECT }],
  ['git.persist: file', (value) => kernel.git.persist('x', [value]), { extra: TEXTS }],
  ['git.log: path', (value) => kernel.git.log(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['git.log: options', (value) => kernel.git.log(PATH, value)],
  ['git.diff: path', (value) => kernel.git.diff(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['git.diff: options', (value) => kernel.git.diff(PATH, value)],
  ['git.diff: from', (value) => kernel.git.diff(PATH, { from: value }), { extra: EMPTY_OBJECT }],
  ['git.revert: path', (value) => kernel.git.revert(value, 'x'), { extra: EMPTY_OBJECT }],
  ['git.revert: commit', (value) => kernel.git.revert(PATH, value), { extra: EMPTY_OBJECT }],
  ['registry.register: path', (value) => kernel.registry.register(value), { extra: EMPTY_OBJECT }],
  ['registry.register: code', (value) => kernel.registry.register(PATH, value), { extra: EMPTY_OBJECT }],
  ['vfs.readFile', (value) => kernel.vfs.readFile(value), { extra: EMPTY_OBJECT }],
  ['vfs.readSync', (value) => kernel.vfs.readSync(value), { extra: EMPTY_OBJECT }],
  ['vfs.writeFile: path', (value) => kernel.vfs.writeFile(value, ''), { extra: EMPTY_OBJECT }],
  ['vfs.writeFile: content', (value) => kernel.vfs.writeFile('notes.md', value), { extra: EMPTY_OBJECT }],
  ['vfs.remove', (value) => kernel.vfs.remove(value), { extra: EMPTY_OBJECT }],
  ['vfs.exists', (value) => kernel.vfs.exists(value), { extra: EMPTY_OBJECT }],
  ['vfs.listFiles', (value) => kernel.vfs.listFiles(value), { extra: EMPTY_OBJECT }],
  ['createNodeVFS', (value) => createNodeVFS(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['createMemoryVFS: file', (value) => createMemoryVFS({ a: value }), { extra: EMPTY_OBJECT }],
  ['loadTGPConfig', (value) => loadTGPConfig(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['tgpTools', (value) => tgpTools(value), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['a tool: arguments', (value) => tools.write_file.execute(value), { extra: EMPTY_OBJECT }],
  ['a tool: path', (value) => tools.read_file.execute({ path: value }), { extra: { ...EMPTY_OBJECT, ...TEXTS } }],
  ['a tool: content', (value) => tools.write_file.execute({ path: PATH, content: value }), { extra: EMPTY_OBJECT }],
  ['a tool: limit', (value) => tools.find_tool.execute({ query: 'x', limit: value }), { accepted: ['a number'] }],
  [
    'a tool: abortSignal',
    (value) => tools.list_files.execute({ dir: '' }, { abortSignal: value }),
    { accepted: ['null'] },
  ],
  ['exec_tool: arguments', (value) => tools.exec_tool.execute(value), { extra: EMPTY_OBJECT }],
];

describe('an invalid argument is refused with a typed error', () => {
  it.each(CALLS)('%s', async (_name, call, { accepted = [], extra = {} } = {}) => {
    for (const [kind, value] of Object.entries({ ...HOSTILE, ...extra })) {
      let outcome;
      try {
        outcome = await call(value);
      } catch (error) {
        outcome = error;
      }
      if (accepted.includes(kind)) continue;
      expect(outcome, kind).toBeInstanceOf(TGPError);
      expect(['ERR_VALIDATION', 'ERR_CONFIG'], `${kind}: ${outcome.message}`).toContain(outcome.code);
      expect(outcome.message.length, kind).toBeLessThan(2000);
      if (outcome.code === 'ERR_VALIDATION') expect(outcome.details.field, kind).toEqual(expect.any(String));
    }
    if (_name.startsWith('shutdown')) await kernel.boot();
    expect((await kernel.exec(PATH)).result).toBe(1);
  });

  it('arguments of a tool that throw when read are refused with a typed error', async () => {
    for (const kind of ['a getter that throws', 'a proxy that throws']) {
      const args = HOSTILE[kind];
      await expect(kernel.exec(PATH, args)).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
      const report = await tools.exec_tool.execute({ path: PATH, args }).catch((error) => error);
      expect(report.code, kind).toBe('ERR_VALIDATION');
    }
  });

  it('one invalid value is reported once', async () => {
    for (const call of [
      () => kernel.shutdown({ pushTimeoutMs: 2 ** 53 }),
      () => kernel.exec(PATH, {}, { seed: 2 ** 53 }),
      () => kernel.exec(PATH, {}, { seed: -(2 ** 53) }),
      () => kernel.find('x', { limit: 2 ** 53 }),
    ]) {
      const error = await call().then(undefined, (reason) => reason);
      expect(error.details.issues).toHaveLength(1);
    }
  });
});

describe('new TGP() does not throw; boot() reports invalid options', () => {
  /** @type {[string, any, RegExp][]} */
  const OPTIONS = [
    ['a misspelt option', { sqll: {} }, /"sqll" is not known, did you mean "sql"\?/],
    ['a key of the configuration', { rootDir: './x' }, /Move it into "config": new TGP\(\{ config: \{ rootDir/],
    ['an unknown option', { quux: 1 }, /"quux" is not known \(known: configFile, config/],
    ['null', null, /must be an object/],
    ['a text', './tgp.config.ts', /must be an object/],
    ['an array', [1], /must be an object/],
    ['an invalid config file', { configFile: 5 }, /"configFile" must be a file path/],
    ['an invalid config', { config: 5 }, /"config" must be an object/],
    ['an invalid logger', { logger: 5 }, /"logger" must be/],
    ['an invalid file adapter', { vfs: {} }, /"vfs" must be a file adapter/],
    ['invalid functions', { sandboxAPI: 5 }, /"sandboxAPI" must be/],
    [
      'an option that cannot be read',
      Object.defineProperty({}, 'sql', { get: throwing, enumerable: true }),
      /cannot be read/,
    ],
    ['options that cannot be read', HOSTILE['a proxy that throws'], /cannot be read/],
    ['a config that cannot be read', { config: { git: HOSTILE['a getter that throws'] } }, /cannot be read/],
    ['a config that is too long', { config: { allowedFetchUrls: Array(1e7).fill('x') } }, /at most 1000 entries/],
    ['a config with a Map', { config: { secrets: new Map() } }, /give a plain object, not an object/],
    ['a text that is too long', { config: { rootDir: 'x'.repeat(1e6) } }, /"rootDir" is not valid/],
  ];

  it.each(OPTIONS)('%s', async (_name, options, message) => {
    const logger = { logger: QUIET };
    const isPlain = typeof options === 'object' && options !== null && !Array.isArray(options);
    const readable = isPlain && !/cannot be read/.test(_name);
    const wrong = new TGP(readable && !('logger' in options) ? { ...logger, ...options } : options);
    expect(wrong.config.rootDir).toEqual(expect.any(String));
    await expect(wrong.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(message),
    });
    await expect(wrong.exec(PATH)).rejects.toMatchObject({ code: 'ERR_CONFIG' });
    await wrong.shutdown();
  });

  it('undefined options are ignored', async () => {
    const rootDir = join(await tempRoot(), '.tgp');
    const valid = new TGP(/** @type {any} */ ({ config: { rootDir }, sqll: undefined, vfs: undefined, logger: QUIET }));
    await valid.boot();
    await valid.shutdown();
  });
});

describe('network.noProxy', () => {
  it('refuses entries that never match a host, with the entry and the reason', async () => {
    const folder = await tempRoot();
    for (const [entry, message] of Object.entries({
      'git.example:443': /'git\.example:443' has a port/,
      '10.0.0.0/40': /is not a network/,
      'http://git.example': /is an address/,
      'a.*.example': /is not a host/,
    })) {
      await writeFile(
        join(folder, 'tgp.config.json'),
        JSON.stringify({ network: { proxy: 'http://127.0.0.1:9', noProxy: ['.fine.example', entry] } }),
      );
      const refused = new TGP({ configFile: join(folder, 'tgp.config.json'), logger: QUIET });
      await expect(refused.boot()).rejects.toMatchObject({
        code: 'ERR_CONFIG',
        message,
        details: { key: 'network.noProxy' },
      });
      await refused.shutdown();
    }
  });
});
