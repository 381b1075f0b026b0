/** Chronicles in the shape of the original protocol. */

import { expect, test } from 'vitest';
import { canonicalJSONStringify, sha256 } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

test('an appended event keeps its type, its time and its members', async () => {
  const { kernel } = await createKernel();
  const event = {
    type: 'FILE_CREATED',
    timestamp: '2020-01-02T03:04:05.000Z',
    actor: { agent: 'human', id: 'ann' },
    filePath: 'src/core/a.ts',
    note: { lines: 3 },
  };
  await kernel.chronicle.append('src/core/a.ts.sage', event);
  const [read, ...others] = await kernel.chronicle.read('src/core/a.ts.sage');
  expect(others).toEqual([]);
  expect(read).toMatchObject(event);
  const { eventId, prevEventId: _, ...content } = read ?? {};
  expect(eventId).toBe(sha256(canonicalJSONStringify(content)));
  expect(await kernel.chronicle.read('src/core/a.ts')).toEqual([read]);
  const [recorded] = await kernel.ledger.tail({ path: 'src/core/a.ts' });
  expect(Date.parse(recorded?.ts ?? '')).toBeGreaterThan(Date.parse('2026-01-01'));
});

test('the tail of a chronicle is its last events, each with the one before', async () => {
  const { kernel } = await createKernel();
  for (const n of [1, 2, 3]) await kernel.chronicle.append('x.sage', { type: 'STEP', n });
  const [second, third] = await kernel.chronicle.tail('x.sage', 2);
  expect([second?.n, third?.n]).toEqual([2, 3]);
  expect(third?.prevEventId).toBe(second?.eventId);
});

test('canonical JSON is that of RFC 8785, and other values are refused', () => {
  expect(canonicalJSONStringify({ b: 1, a: [2.0, 'é\n', null, true], 10: -0, 9: 1e21, c: undefined })).toBe(
    '{"10":0,"9":1e+21,"a":[2,"é\\n",null,true],"b":1}',
  );
  expect(
    canonicalJSONStringify({ '\u20ac': 1, '\r': 2, '\ufb33': 3, 1: 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }),
  ).toBe('{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}');
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  /** @type {any} */
  const circle = {};
  circle.self = circle;
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('x'), '\ud800', undefined, circle]) {
    expect(() => canonicalJSONStringify({ value: [value] })).toThrow(
      expect.objectContaining({ code: 'ERR_VALIDATION' }),
    );
  }
});
