import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../dist/boundary/limits.js';
import { native } from '../../dist/boundary/native.js';
import { ConfigError, loadTGPConfig, TGP, TGPConfigSchema } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @typedef {{ path: string[], schema: any }} Place */

/** Every object of the configuration, and every key that holds a value: read from the schema, so that new ones count. */
const { groups, leaves } = places(TGPConfigSchema, []);

/**
 * @param {any} schema
 * @param {string[]} path
 * @returns {{ groups: Place[], leaves: Place[] }}
 */
function places(schema, path) {
  const below = Object.entries(schema.shape).map(([key, member]) => {
    let inner = /** @type {any} */ (member);
    // An array unwraps to its elements, which are not values of the key.
    while (typeof inner.unwrap === 'function' && inner.def.type !== 'array') inner = inner.unwrap();
    const here = [...path, key];
    return inner.shape ? places(inner, here) : { groups: [], leaves: [{ path: here, schema: inner }] };
  });
  return {
    groups: [{ path, schema }, ...below.flatMap((found) => found.groups)],
    leaves: below.flatMap((found) => found.leaves),
  };
}

/**
 * A configuration with one value at one place.
 * @param {string[]} path
 * @param {unknown} value
 */
function configWith(path, value) {
  return path.reduceRight((inner, key) => {
    const outer = {};
    // `__proto__` must become a key like any other.
    Object.defineProperty(outer, key, { value: inner, enumerable: true, configurable: true, writable: true });
    return outer;
  }, value);
}

/**
 * Why a kernel refuses a configuration.
 * @param {any} config
 * @returns {Promise<any>}
 */
async function refusal(config) {
  const kernel = new TGP({ config });
  const error = await kernel.boot().then(
    () => undefined,
    (reason) => reason,
  );
  await kernel.shutdown();
  return error;
}

const AWKWARD = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'a.b',
  'rootdir',
  '😀',
);
const HOSTS = fc.constantFrom('github', 'gitlab', 'bitbucket');
const anyKey = fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 30 }) }, { weight: 1, arbitrary: AWKWARD });

describe('a configuration', () => {
  test('with an unknown key anywhere is refused by the name of that key', async () => {
    const place = fc.constantFrom(...groups).chain(({ path, schema }) =>
      fc.record({
        path: fc.constant(path),
        key: anyKey.filter((key) => !Object.hasOwn(schema.shape, key)),
        value: fc.jsonValue({ maxDepth: 1 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(place, async ({ path, key, value }) => {
        const error = await refusal(configWith([...path, key], value));
        expect(error).toBeInstanceOf(ConfigError);
        const named = [...path, key].join('.');
        expect(error.message).toContain(`"${named}" is not known`);
        expect(error.details.issues).toContainEqual(expect.objectContaining({ key: named }));
      }),
      { numRuns: 300 },
    );
  });

  test('with a misspelt key gets a suggestion', async () => {
    const slip = fc.constantFrom(...leaves).chain(({ path }) => {
      const key = String(path.at(-1));
      return fc.record({ path: fc.constant(path), at: fc.nat({ max: key.length - 1 }) });
    });
    await fc.assert(
      fc.asyncProperty(slip, async ({ path, at }) => {
        const key = String(path.at(-1));
        const error = await refusal(configWith([...path.slice(0, -1), `${key.slice(0, at)}Q${key.slice(at)}`], 1));
        expect(error.message).toContain(`did you mean "${path.join('.')}"?`);
      }),
      { numRuns: 100 },
    );
  });

  test('with a key outside its group, or a part of a key, gets a suggestion', async () => {
    const meant = Object.entries({ memoryMb: 'sandbox.memoryMb', proxy: 'network.proxy', root: 'rootDir' });
    for (const [key, suggestion] of meant) {
      const error = await refusal({ [key]: 5 });
      expect(error.message).toContain(`"${key}" is not known, did you mean "${suggestion}"?`);
      expect(error.details.issues).toContainEqual(expect.objectContaining({ key, suggestion }));
    }
    for (const key of ['timeoutMs', 'timeout']) {
      const question = `"${key}" is not known, did you mean "git.timeoutMs" or "sandbox.timeoutMs"?`;
      expect((await refusal({ [key]: 5 })).message).toContain(question);
    }
    const inside = await refusal({ sandbox: { timeout: 5 } });
    expect(inside.message).toContain('"sandbox.timeout" is not known, did you mean "sandbox.timeoutMs"?');
  });

  test('with a value outside an enumeration gets the allowed values', async () => {
    expect((await refusal({ check: 'strikt' })).message).toMatch(/"check" is not valid: give one of "[^.]*"\.$/);
    expect((await refusal({ check: 1 })).message).toMatch(/"check" is not valid: give one of "[^.]*", not 1\.$/);
    expect((await refusal({ rotDir: './x' })).message).toMatch(/"rotDir" is not known, did you mean "rootDir"\?$/);
  });

  test('with a value of the wrong kind is refused by the name of its key', async () => {
    const wrong = fc.constantFrom(...leaves).chain(({ path, schema }) =>
      fc.record({
        path: fc.constant(path),
        value: fc
          .oneof(fc.jsonValue({ maxDepth: 1 }), fc.double(), fc.constant(''))
          .filter((value) => value !== undefined && !schema.safeParse(value).success),
      }),
    );
    await fc.assert(
      fc.asyncProperty(wrong, async ({ path, value }) => {
        const error = await refusal(configWith(path, value));
        expect(error).toBeInstanceOf(ConfigError);
        expect(error.message).toMatch(/is not (?:valid|known)/);
        expect(error.message).toContain(`"${path.join('.')}`);
      }),
      { numRuns: 300 },
    );
  });

  test('that contradicts itself is refused by the name of the key', async () => {
    const contradictions = fc.oneof(
      fc
        .record({ wallMs: fc.integer({ min: 1, max: 1000 }), timeoutMs: fc.integer({ min: 1001, max: 9999 }) })
        .map((sandbox) => ({ config: { sandbox }, key: 'sandbox.wallMs' })),
      fc
        .record({ workers: fc.integer({ min: 1, max: 8 }), warm: fc.integer({ min: 9, max: 64 }) })
        .map((sandbox) => ({ config: { sandbox }, key: 'sandbox.warm' })),
      HOSTS.map((provider) => ({ config: { git: { provider } }, key: 'git.repo' })),
      fc.webUrl().map((apiBaseUrl) => ({ config: { git: { apiBaseUrl } }, key: 'git.apiBaseUrl' })),
      fc
        .stringMatching(/^[a-z]{5,20}$/)
        .map((rule) => ({ config: { rules: { [rule]: 'off' } }, key: `rules.${rule}` })),
    );
    await fc.assert(
      fc.asyncProperty(contradictions, async ({ config, key }) => {
        const error = await refusal({ ...config, rootDir: '/nowhere/to/be/made' });
        expect(error).toBeInstanceOf(ConfigError);
        expect(error.message).toContain(key);
        expect(error.details.key).toBe(key);
      }),
      { numRuns: 100 },
    );
  });

  // Any whole number is valid for these two.
  const unbounded = ['sandbox.seed', 'sandbox.now'];
  const numbers = leaves.filter(
    ({ path, schema }) => schema.def.type === 'number' && !unbounded.includes(path.join('.')),
  );

  test.each(numbers.map(({ path }) => path))(
    'is refused with a value out of the range of %s.%s',
    async (group, key) => {
      const { least, most } = LIMITS[group][key];
      for (const value of [least - 1, most + 1, 4_000_000_000, -1, 2 ** 53, -(2 ** 53)]) {
        const error = await refusal(configWith([group, key], value));
        expect(error).toBeInstanceOf(ConfigError);
        const message = `"${group}.${key}" is not valid (must be between ${least} and ${most}, not ${value})`;
        expect(error.details).toEqual({ field: `${group}.${key}`, issues: [{ key: `${group}.${key}`, message }] });
        expect(error.message).toContain(`: ${message}.`);
      }
    },
  );

  test('with sandbox.logBytes 0 is refused', async () => {
    const error = await refusal({ sandbox: { logBytes: 0 } });
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.details.issues).toMatchObject([{ key: 'sandbox.logBytes' }]);
  });

  test('with an invalid proxy or certificate file is refused by the key', async () => {
    const folder = await tempRoot();
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, 'no certificate');
    /** @type {[object, string][]} */
    const wrong = [
      [{ network: { proxy: 'x' } }, 'network.proxy'],
      [{ network: { proxy: 'ftp://a' } }, 'network.proxy'],
      [{ network: { noProxy: ['a'] } }, 'network.noProxy'],
      [{ network: { ca: join(folder, 'none.pem'), forTools: true } }, 'network.ca'],
      [{ network: { ca, forTools: true } }, 'network.ca'],
      [{ network: { ca }, git: { repo: 'https://127.0.0.1:9/tools.git' } }, 'network.ca'],
      [{ allowedFetchUrls: ['x'] }, 'allowedFetchUrls'],
    ];
    for (const [config, key] of wrong) {
      const error = await refusal({ rootDir: join(folder, 'root'), ...config });
      expect(error).toBeInstanceOf(ConfigError);
      expect(error.message).toContain(key);
      expect(error.details).toEqual({ key });
    }
  });

  test('has every limit of the native part, with the same range', () => {
    const known = native()
      .limits()
      .filter(({ group }) => ['sandbox', 'fs', 'git', 'agent'].includes(group));
    expect(numbers.map(({ path }) => path.join('.')).sort()).toEqual(
      known.map(({ group, key }) => `${group}.${key}`).sort(),
    );
    for (const { group, key, least, most } of native().limits())
      expect(LIMITS[group][key]).toMatchObject({ least, most });
  });

  test('in a file is refused the same way, with the name of the file', async () => {
    const folder = await tempRoot();
    for (const [name, text] of Object.entries({
      'tgp.config.json': '{"sandbox":{"__proto__":1}}',
      'tgp.config.ts': "enum A { B = 'x' }\nexport default { sandbox: { ['__proto__']: A.B } } as const;",
    })) {
      await writeFile(join(folder, name), text);
      const error = await loadTGPConfig(join(folder, name)).catch((reason) => reason);
      expect(error.message).toContain(`${name}: "sandbox.__proto__" is not known`);
    }
  });
});
