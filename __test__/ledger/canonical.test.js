/** Events are hashed as RFC 8785 JSON, so another implementation gets the same hashes. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { expectedHashes } from '../helpers/ledger.js';

const ZEROS = '0'.repeat(64);
const MANY = 10_000;

/** The example of the RFC, its key order, and numbers with difficult representations. */
const RFC_EXAMPLES = [
  {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: '€$\u000f\nA\'B"\\\\"/',
    literals: [null, true, false],
  },
  { '€': 'Euro', '\r': 'Return', דּ: 'Hebrew', 1: 'One', '😀': 'Emoji', '\u0080': 'Control', ö: 'Latin' },
  [0, -0, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
  [295147905179352830000, 9.999999999999997e22, 1e23, 1.0000000000000001e23, 999999999999999700000, 1e21],
  [9.999999999999997e-7, 0.000001, 333333333.3333332, 333333333.33333325, 333333333.3333334, 1424953923781206.2],
];

describe('the hashes of events', () => {
  test('are those of RFC 8785, in a chain without gaps', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    await kernel.exec('tools/a.ts');
    for (const value of RFC_EXAMPLES) await kernel.ledger.append({ value });
    const events = await kernel.ledger.query({ limit: MANY });
    let prev = ZEROS;
    for (const [index, event] of events.entries()) {
      expect(event).toMatchObject({ seq: index + 1, prev, ...expectedHashes(event) });
      prev = event.hash;
    }
    expect(await kernel.ledger.verify()).toEqual({ ok: true, first: 1, events: events.length, head: prev });
  });

  test('are those of RFC 8785 for any JSON', async () => {
    const { kernel } = await createKernel();
    const bodies = fc.sample(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), 300);
    for (const value of bodies) await kernel.ledger.append({ value });
    const events = await kernel.ledger.query({ type: 'APPLICATION', limit: MANY });
    expect(events).toHaveLength(bodies.length);
    for (const event of events) expect(event).toMatchObject(expectedHashes(event));
  });

  test('integers beyond the safe range are stored as texts, so no reader loses a digit', async () => {
    const { kernel } = await createKernel();
    await kernel.ledger.append({ large: 2 ** 60, exact: 12345678901234567890n, small: 2 ** 53 - 1, below: -(2 ** 60) });
    const [event] = await kernel.ledger.tail({ type: 'APPLICATION' });
    expect(event).toMatchObject({
      large: '1152921504606847000',
      exact: '12345678901234567890',
      small: 2 ** 53 - 1,
      below: '-1152921504606847000',
    });
    expect(event).toMatchObject(expectedHashes(/** @type {any} */ (event)));
  });
});
