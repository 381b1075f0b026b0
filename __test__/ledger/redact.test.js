/** Secrets are not recorded, and large values are stored separately. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { ledgerFiles, sha256 } from '../helpers/ledger.js';

const CANARY = 'canary-7f3a91c2d4e5';

/**
 * Whether any file of the ledger contains a text.
 * @param {string} rootDir
 * @param {string} text
 */
const isOnDisk = (rootDir, text) => ledgerFiles(rootDir).some((file) => readFileSync(file).includes(text));

describe('redact', () => {
  test('receives the content of every event, and removed values are not on disk', async () => {
    /** @type {any[]} */
    const seen = [];
    const { kernel, rootDir } = await createKernel(
      {},
      {
        redact: (event) => {
          seen.push(event);
          const { args, result: _, ...rest } = event;
          return { ...rest, ...(args && { args: { ...args, args: { ...args.args, email: '[hidden]' } } }) };
        },
      },
    );
    await kernel.run('return args', { email: CANARY, n: 1 });
    const calls = await kernel.ledger.tail({ type: 'CALL' });
    expect(calls).toMatchObject([{ args: { args: { email: '[hidden]', n: 1 } } }]);
    expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
    await kernel.shutdown();
    expect(isOnDisk(rootDir, CANARY)).toBe(false);
    const call = seen.find(({ type }) => type === 'CALL');
    expect(call).toMatchObject({ type: 'CALL', args: { args: { email: CANARY } }, actor: { agent: 'application' } });
    expect(Object.keys(call)).not.toEqual(expect.arrayContaining(['seq']));
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error(CANARY);
      },
    ],
    ['returns a text', () => 'text'],
    ['returns nothing', () => undefined],
    [
      'rejects',
      async () => {
        throw new Error(CANARY);
      },
    ],
  ])('that %s hides the body, and the call succeeds', async (_, redact) => {
    const { kernel, rootDir } = await createKernel({}, { redact: /** @type {any} */ (redact), logger: silent });
    expect((await kernel.run('return args.n', { n: 1, email: CANARY })).result).toBe(1);
    const [call] = await kernel.ledger.tail({ type: 'CALL' });
    expect(call).toMatchObject({ type: 'CALL', tool: expect.any(String), call: expect.any(String) });
    expect(JSON.stringify(call?.args ?? null)).not.toContain('"n"');
    await kernel.shutdown();
    expect(isOnDisk(rootDir, CANARY)).toBe(false);
  });

  test('may be asynchronous', async () => {
    const { kernel } = await createKernel(
      {},
      {
        redact: async ({ args: _, ...event }) => {
          await new Promise((done) => setTimeout(done, 20));
          return event;
        },
      },
    );
    await kernel.run('return 1', { email: CANARY });
    const [call] = await kernel.ledger.tail({ type: 'CALL' });
    expect(call).toBeDefined();
    expect(call?.args).toBeUndefined();
  });

  test('must be a function', async () => {
    const { kernel } = await createKernel({}, { redact: /** @type {any} */ ('yes') });
    await expect(kernel.boot()).rejects.toMatchObject({ message: expect.stringContaining('redact') });
  });
});

const silent = { debug() {}, info() {}, warn() {}, error() {} };

test('secrets of the configuration are masked everywhere', async () => {
  const { kernel, rootDir } = await createKernel(
    { secrets: { KEY: { value: CANARY, functions: ['send'] } } },
    {
      sandboxAPI: { send: (/** @type {string} */ key) => `sent ${key}` },
    },
  );
  await kernel.run('return { a: args.text, b: await tgp.send("{{secret:KEY}}") }', { text: `token=${CANARY};` });
  await kernel.ledger.append({ note: CANARY });
  const events = await kernel.ledger.tail();
  expect(events.length).toBeGreaterThan(3);
  expect(JSON.stringify(events)).not.toContain(CANARY);
  await kernel.shutdown();
  expect(isOnDisk(rootDir, CANARY)).toBe(false);
});

test('capability tokens are masked, also if the rule no-secrets is off', async () => {
  for (const severity of /** @type {const} */ (['error', 'off'])) {
    const { kernel, rootDir } = await createKernel({ rules: { 'no-secrets': severity } });
    const { token } = await kernel.issueToken({ allow: ['read'] });
    await kernel.run('return args.note', { note: `use ${token} for it` });
    await kernel.ledger.append({ note: `here: ${token}` });
    expect(JSON.stringify(await kernel.ledger.tail())).not.toContain(token.slice(0, 30));
    await kernel.shutdown();
    expect(isOnDisk(rootDir, token.slice(0, 30))).toBe(false);
  }
});

test.each([
  ['Hugging Face', 'hf_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2'],
  ['DigitalOcean', `dop_v1_${'0123456789abcdef'.repeat(4)}`],
  ['Shopify', `shpat_${'0123456789abcdef'.repeat(2)}`],
  ['Vault', 'hvs.a1B2c3D4e5a1B2c3D4e5a1B2'],
  ['PyPI', `pypi-${'a1B2c3D4e5'.repeat(6)}`],
  ['Telegram', '123456789:AAa1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B'],
  ['Twilio', `SK${'0123456789abcdef'.repeat(2)}`],
  ['Google', `ya29.${'a1B2c3D4e5'.repeat(6)}`],
  ['Azure', `AccountKey=${'a1B2c3D4e5'.repeat(8)}==`],
  ['Discord', 'Ma1B2c3D4e5a1B2c3D4e5a1B.a1B2c3.a1B2c3D4e5a1B2c3D4e5a1B2c3D'],
])('a key of %s is recognised by its form', async (_, key) => {
  const { kernel, rootDir } = await createKernel();
  await kernel.ledger.append({ note: `the key is ${key} today` });
  await kernel.run('return args.key', { key });
  await kernel.shutdown();
  expect(isOnDisk(rootDir, key)).toBe(false);
});

describe('a truncated text', () => {
  const VALUE = 'f83b61d05a7c492e8b13d6f70a52c94e';
  const LONG = 'long '.repeat(200_000);
  const secrets = { KEY: { value: VALUE, functions: ['send'] } };
  const sandboxAPI = { send: () => null };

  test('is masked before the cut, at any position', async () => {
    const { kernel, rootDir } = await createKernel({ secrets }, { sandboxAPI });
    for (let room = 1; room <= VALUE.length; room += 5) {
      // The preview has 256 characters, of JSON.
      const text = `${'x'.repeat(256 - '{"text":"'.length - room)}${VALUE} ${LONG}`;
      await kernel.ledger.append({ room });
      await kernel.run('return args.text', { text }).catch(() => {});
    }
    const cut = (await kernel.ledger.tail({ limit: 1_000 })).filter((event) => /"preview"/.test(JSON.stringify(event)));
    expect(cut.length).toBeGreaterThan(3);
    await kernel.shutdown();
    // Half of the secret is enough for an attacker.
    expect(isOnDisk(rootDir, VALUE.slice(0, 16))).toBe(false);
  });

  test('has no preview if redact has not received it in full', async () => {
    const { kernel, rootDir } = await createKernel({}, { redact: (event) => event });
    await kernel.run('return 1', { text: `${CANARY} ${LONG}` });
    await kernel.shutdown();
    expect(isOnDisk(rootDir, CANARY)).toBe(false);
  });

  test('does not end with the beginning of a secret', async () => {
    const { kernel, rootDir } = await createKernel({ secrets }, { sandboxAPI });
    for (const length of [31, 24, 16]) await kernel.ledger.append({ line: `… ${VALUE.slice(0, length)}` });
    await kernel.shutdown();
    expect(isOnDisk(rootDir, VALUE.slice(0, 16))).toBe(false);
  });
});

describe('large values', () => {
  test('are stored by their hash, with a preview in the event', async () => {
    const { kernel } = await createKernel({ sandbox: { timeoutMs: 2_000 } });
    const text = 'long '.repeat(4_000);
    await kernel.run('return args.text.length', { text });
    const [call] = await kernel.ledger.tail({ type: 'CALL' });
    const { $blob, bytes, preview } = /** @type {any} */ (call).args.args;
    expect(preview.length).toBeLessThan(300);
    const kept = await kernel.ledger.blob($blob);
    expect(kept).toBe(JSON.stringify({ text }));
    expect(bytes).toBe(kept.length);
    expect(sha256(kept)).toBe($blob);
    expect(await kernel.ledger.verify()).toMatchObject({ ok: true });
  });

  test('above the limit are only hashed', async () => {
    const { kernel } = await createKernel({ ledger: { blobBytes: 10_000 }, sandbox: { timeoutMs: 2_000 } });
    await kernel.run('return 1', { text: 'x'.repeat(20_000) });
    const [call] = await kernel.ledger.tail({ type: 'CALL' });
    const { $blob, kept } = /** @type {any} */ (call).args.args;
    expect(kept).toBe(false);
    await expect(kernel.ledger.blob($blob)).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  });

  test.each(['', 'x', '0'.repeat(64)])('cannot be read by an unknown or invalid hash: "%s"', async (hash) => {
    const { kernel } = await createKernel();
    await expect(kernel.ledger.blob(hash)).rejects.toMatchObject({
      code: expect.stringMatching(/^ERR_(NOT_FOUND|VALIDATION)$/),
    });
  });
});
