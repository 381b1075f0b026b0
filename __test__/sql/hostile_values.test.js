import { expect, it } from 'vitest';
import { attacked, MAX_MB } from '../helpers/attacked.js';
import { ANSWERS } from '../helpers/hostile_answers.mjs';

/** How each ends; the others hold a value that cannot be read. */
const REASONS = {
  'nested 100 000 deep': 'depth',
  'a cycle': 'depth',
  'a cycle with branches': 'depth',
  'toJSON that never ends': 'depth',
  'a proxy without end': 'depth',
  'an array with holes for 4 billion': 'maxBytes',
  '100 MB of bytes': 'maxBytes',
  '100 MB of text': 'maxBytes',
  '4 MB of control characters': 'maxBytes',
  '10 million rows': 'maxRows',
  'rows that throw': 'database',
  'an error without a message': 'database',
  'an error of 100 MB': 'database',
  'an error that throws': 'database',
};

it.each(['plain function', 'prisma, a stand-in'])(
  '%s: whatever it returns or throws ends the call and nothing else',
  async (source) => {
    const attacks = Object.keys(ANSWERS).map((name) => ({ name, sql: `SELECT '${name}'` }));
    const outcomes = await attacked(source, {}, attacks);
    expect(outcomes.map(({ attack }) => attack)).toEqual(Object.keys(ANSWERS));
    for (const outcome of outcomes) {
      const reason = new Map(Object.entries(REASONS)).get(outcome.attack) ?? 'value';
      // What is no list has no rows to Prisma.
      const isFine =
        outcome.attack === 'odd values' || (outcome.attack === 'rows that throw' && source !== 'plain function');
      const expected = isFine ? { ok: true } : { ok: false, code: 'ERR_SQL', reason };
      expect(outcome, outcome.attack).toMatchObject({ ...expected, next: '[{"word":"fine"}]' });
      expect(outcome.length ?? 0, outcome.attack).toBeLessThan(3_000);
      expect(outcome.peakMb, outcome.attack).toBeLessThanOrEqual(MAX_MB);
    }
  },
);
