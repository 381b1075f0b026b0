import { expect, test } from 'vitest';
import { shownText, shownValue } from '../../js/telemetry/contents.js';

const MAX_CHARS = 8_192;
const MAX_CPU_US = 500_000;

test.each([
  'AKIAABCDEFGHIJKLMNOP',
  'sk_live_abcdefgh1234',
  `sk-proj-${'a1b2'.repeat(6)}`,
  `ghp_${'a1'.repeat(12)}`,
  `github_pat_${'a1'.repeat(12)}`,
  `glpat-${'a1'.repeat(10)}`,
  'xoxb-1234567890-abc',
  `AIza${'a1'.repeat(16)}`,
  `npm_${'a1'.repeat(16)}`,
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
  'Bearer abcdefghijklmnop1234',
])('%s is hidden', (secret) => {
  expect(shownText(`before ${secret} after`)).toBe('before [hidden] after');
});

test.each([
  ['postgres://app:hunter22@db/x', 'postgres://app:[hidden]@db/x'],
  ['https://a.b/?token=abcdefgh12&x=1', 'https://a.b/?token=[hidden]&x=1'],
  ['-----BEGIN RSA PRIVATE KEY-----\nabc', '[hidden]'],
  ['a basic understanding of internationalisation', 'a basic understanding of internationalisation'],
])('%s is shown as %s', (text, shown) => {
  expect(shownText(text)).toBe(shown);
});

test.each(['password', 'dbPassword', 'api_key', 'apiKey', 'Authorization', 'accessToken', 'client-secret'])(
  'what is called %s is hidden, whatever it is',
  (name) => {
    expect(shownValue({ [name]: { deep: 1 }, tokens: 3 })).toBe(`{"${name}":"[hidden]","tokens":3}`);
  },
);

test('nothing is long, deep or endless', () => {
  /** @type {any} */
  const endless = { a: 1 };
  endless.self = endless;
  /** @type {any} */
  let deep = 0;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 'x'.repeat(5_000)]));
  for (const value of [endless, deep, wide, 'x'.repeat(1 << 20), Array(1_000_000).fill('"\u0001')]) {
    expect(shownValue(value)?.length).toBeLessThanOrEqual(MAX_CHARS);
  }
});

test.each(['a', 'eyJ-', 'eyJ.', 'eyJaaaaaaaa.', 'sk-', '://a:', 'Bearer ', '?token=', '-----BEGIN '])(
  'text made to take long does not: "%s" again and again',
  (part) => {
    const text = part.repeat(MAX_CHARS / part.length);
    const { user: before } = process.cpuUsage();
    for (let again = 0; again < 10; again++) shownText(text);
    expect(process.cpuUsage().user - before).toBeLessThan(MAX_CPU_US);
  },
);

test('what cannot be read is not shown', () => {
  const value = {
    get a() {
      throw new Error('no');
    },
  };
  expect(shownValue(value)).toBeUndefined();
  expect(shownValue(undefined)).toBeUndefined();
});
