import fc from 'fast-check';
import { expect, it } from 'vitest';
import { attenuate, ConfigError, TGP, TGPError } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { forAll, TIMEOUT_MS, texts } from '../helpers/for_all.js';

const KEYS = [
  'rootDir',
  'git',
  'sandbox',
  'check',
  'rules',
  'fs',
  'allowedImports',
  'memory',
  'reuse',
  'allowedFetchUrls',
  'network',
  'agent',
  'secrets',
  'ledger',
  'tokens',
  'policy',
  'memoryMb',
  'timeoutMs',
  'workers',
  'repo',
  'keys',
  'default',
  'id',
  'allow',
  'ask',
  'deny',
  'paths',
  'hosts',
  'tests',
  'version',
  'calls',
  'expires',
  'anyOf',
  '__proto__',
  'constructor',
  'toString',
  '',
];
const WORDS = [
  'allow',
  'ask',
  'deny',
  'read',
  'write',
  '*',
  'a/**',
  '../x',
  'strict',
  'off',
  'main',
  '\n',
  'https://x.org',
  'x',
  '',
];
const leaf = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(null, undefined),
  fc.bigInt(),
);
const values = fc.letrec((tie) => ({
  any: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('any'), { maxLength: 4 }), tie('object')),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie('any'), { maxKeys: 5 }),
}));

it('a random configuration is accepted, or refused as a configuration error', { timeout: TIMEOUT_MS }, async () => {
  await forAll(
    'configuration',
    values.object,
    async (config) => {
      try {
        const kernel = new TGP(/** @type {any} */ ({ config }));
        await kernel.shutdown();
      } catch (error) {
        expect(error).toBeInstanceOf(TGPError);
        expect(['ERR_CONFIG', 'ERR_VALIDATION']).toContain(/** @type {TGPError} */ (error).code);
      }
    },
    { runs: 400 },
  );
});

it('random rules are accepted, or refused as a configuration error', { timeout: TIMEOUT_MS }, async () => {
  const { kernel } = await createKernel({ sandbox: { warm: 0 } });
  await kernel.boot();
  await forAll(
    'rules',
    values.any,
    async (policy) => {
      const found = await kernel.policy.check(/** @type {any} */ (policy)).catch((error) => error);
      if (found instanceof Error) expect(found).toBeInstanceOf(ConfigError);
    },
    { runs: 200 },
  );
});

it('random tokens and caveats give a narrower token, or are refused with a code', { timeout: TIMEOUT_MS }, async () => {
  const { kernel } = await createKernel({ sandbox: { warm: 0 } });
  const { token } = await kernel.issueToken({ allow: ['read'] });
  const changed = texts(['tgp_', 'AAAA', '_', '-', token, token.slice(0, 40), token.slice(40)], 4);
  await forAll(
    'tokens',
    fc.tuple(fc.oneof(fc.constant(token), changed), values.any),
    async ([text, caveats]) => {
      try {
        expect(attenuate(text, /** @type {any} */ (caveats))).toMatch(/^tgp_/);
      } catch (error) {
        expect(error).toBeInstanceOf(TGPError);
        expect(['ERR_VALIDATION', 'ERR_DENIED']).toContain(/** @type {TGPError} */ (error).code);
      }
    },
    { runs: 400 },
  );
});
