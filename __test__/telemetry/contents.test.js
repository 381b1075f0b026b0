import { expect, test } from 'vitest';
import { shownText, shownValue } from '../../dist/telemetry/contents.js';
import { unredacted } from './traces.js';

const MAX_CHARS = 8_192;

test.each(['password', 'dbPassword', 'api_key', 'apiKey', 'Authorization', 'accessToken', 'client-secret'])(
  'a value with the key %s is hidden',
  (name) => {
    expect(shownValue({ [name]: { deep: 1 }, tokens: 3 }, unredacted)).toBe(`{"${name}":"[hidden]","tokens":3}`);
  },
);

test('long, deep and cyclic values are cut', () => {
  /** @type {any} */
  const endless = { a: 1 };
  endless.self = endless;
  /** @type {any} */
  let deep = 0;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 'x'.repeat(5_000)]));
  for (const value of [endless, deep, wide, 'x'.repeat(1 << 20), Array(1_000_000).fill('"\u0001')]) {
    expect(shownValue(value, unredacted)?.length).toBeLessThanOrEqual(MAX_CHARS);
  }
});

test('a value that cannot be read is not shown', () => {
  const value = {
    get a() {
      throw new Error('no');
    },
  };
  expect(shownValue(value, unredacted)).toBeUndefined();
  expect(shownValue(undefined, unredacted)).toBeUndefined();
});

test('nothing is shown while the secrets of the kernel are unknown', () => {
  expect(shownValue({ a: 'text' }, () => undefined)).toBeUndefined();
  expect(shownText('text', () => undefined)).toBeUndefined();
});

const KNOWN = `k-${'Zz'.repeat(100)}`;
const hidesKnown = (/** @type {string} */ text) => text.replaceAll(KNOWN, '[known]');

test('a secret is hidden wherever the text is cut, also after other secrets', () => {
  const secret = KNOWN;
  const [first, last] = [secret.slice(0, 12), secret.slice(-12)];
  const one = /** @type {(before: number) => string} */ ((before) => `${'.'.repeat(before)} ${secret} `);
  for (let before = 2_048 - secret.length - 8; before <= 2_052; before += Math.ceil(secret.length / 50)) {
    const texts = [one(Math.max(0, before)), `${one(Math.max(0, before))}${'x'.repeat(100_000)}`];
    texts.push(`${`${secret} `.repeat(30)}${one(before & 255)}`, `${`${secret} `.repeat(400)}${one(before & 255)}`);
    for (const text of texts) {
      const shown = String(shownText(text, hidesKnown));
      expect(shown.length).toBeLessThanOrEqual(2_049);
      expect(shown.includes(first) || shown.includes(last)).toBe(false);
      expect(String(shownValue([text, { [text]: text }], hidesKnown)).includes(first)).toBe(false);
    }
  }
});
