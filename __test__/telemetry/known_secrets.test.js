import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const BOUND = 'open ~sesame~ 42+1';
const TOKEN = 'forge-token-without-a-form';
const PASSWORD = 'remote~pass word';
const LONG_TOKEN_KEY = 'Kk'.repeat(40);
/** The length at which texts are cut. */
const CUT = 2_048;

/** Collects the channel messages of a test. */
function collectMessages() {
  /** @type {import('../../index.js').CallMessage[]} */
  const messages = [];
  const listen = (/** @type {any} */ message) => messages.push(message);
  subscribe('tgp:call', listen);
  onTestFinished(() => {
    unsubscribe('tgp:call', listen);
  });
  return messages;
}

test('with contents, secrets of the configuration are hidden: whole, cut, and in every encoding', async () => {
  const messages = collectMessages();
  const { kernel } = await createKernel(
    {
      git: { auth: { token: TOKEN } },
      network: { proxy: `http://me:${encodeURIComponent(PASSWORD)}@127.0.0.1:9` },
      tokens: { keys: [LONG_TOKEN_KEY] },
      secrets: { KEY: { value: BOUND, functions: ['send'] } },
    },
    { telemetry: { contents: true }, sandboxAPI: { send: () => 'sent' } },
  );
  const secrets = [BOUND, TOKEN, LONG_TOKEN_KEY];
  const encoded = encodeURIComponent(PASSWORD);
  const args = {
    plain: [...secrets, encoded, PASSWORD],
    form: new URLSearchParams({ a: BOUND }).toString(),
    json: JSON.stringify({ deep: JSON.stringify({ secrets }) }),
    cut: secrets.flatMap((secret) =>
      [4, 8, secret.length - 1].map((seen) => `${'.'.repeat(CUT - seen)}${secret} and more`),
    ),
    [TOKEN]: 1,
  };
  // The first call boots the kernel: its arguments are redacted only afterwards.
  await kernel.run('return args', args);
  await kernel.run('throw new Error(args.plain.join())', args).catch(() => {});
  await kernel.run('return args.cut', { cut: args.cut.slice(3) });
  expect(messages.map(({ tool }) => tool)).toEqual(['run_code', 'run_code', 'run_code']);
  const text = JSON.stringify(messages);
  for (const { arguments: given, result, message } of messages) {
    expect(given).toBeTruthy();
    expect(result ?? message).toBeTruthy();
  }
  expect(text).toContain('{{secret:KEY}}');
  expect(text).toContain('[hidden]');
  for (const part of ['sesame', 'open ', TOKEN.slice(0, 8), 'KkKk', encoded, PASSWORD])
    expect(text).not.toContain(part);
});

test('with contents, text in the form of a secret is hidden, of every kind that the ledger hides', async () => {
  const messages = collectMessages();
  const { kernel } = await createKernel({}, { telemetry: { contents: true } });
  await kernel.boot();
  const word = 'a1B2c3D4e5'.repeat(4);
  const keys = ['hf_', 'gsk_', 'pypi-', 'xai-', 'ghp_', 'sk_live_', 'tgp_'].map((prefix) => `${prefix}${word}`);
  const addresses = ['postgres://app:hunter22@db/x', 'https://a.b/?token=abcdefgh12&x=1'];
  const texts = [...keys.map((key) => `before ${key} after`), ...addresses, 'a basic understanding of texts'];
  await kernel.run('return args', { texts });
  const text = JSON.stringify(messages);
  for (const part of [word, 'hunter22', 'abcdefgh12']) expect(text).not.toContain(part);
  for (const part of ['before [hidden] after', 'app:[hidden]@db/x', 'token=[hidden]&x=1', 'a basic understanding']) {
    expect(text).toContain(part);
  }
});

test('calls on a kernel that fails to boot show no arguments', async () => {
  const messages = collectMessages();
  const { kernel } = await createKernel(
    { git: { branch: ' ', auth: { token: TOKEN } } },
    { telemetry: { contents: true } },
  );
  await expect(kernel.run('return 1', { token: TOKEN, more: TOKEN })).rejects.toMatchObject({ code: 'ERR_CONFIG' });
  expect(messages).toMatchObject([{ ok: false, code: 'ERR_CONFIG', arguments: undefined, message: undefined }]);
});
