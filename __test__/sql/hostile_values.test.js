import { expect, it } from 'vitest';
import { ANSWERS } from '../helpers/hostile_answers.mjs';
import { MAX_MB, runAttacks } from '../helpers/run_attacks.js';

/** The reasons of the errors; the others have a value that cannot be read. */
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
  '%s: any returned or thrown value fails only the call',
  async (source) => {
    const attacks = Object.keys(ANSWERS).map((name) => ({ name, sql: `SELECT '${name}'` }));
    const outcomes = await runAttacks(source, {}, attacks);
    expect(outcomes.map(({ attack }) => attack)).toEqual(Object.keys(ANSWERS));
    for (const outcome of outcomes) {
      const reason = new Map(Object.entries(REASONS)).get(outcome.attack) ?? 'value';
      // With Prisma, a value that is not a list has no rows.
      const isFine =
        outcome.attack === 'odd values' || (outcome.attack === 'rows that throw' && source !== 'plain function');
      const expected = isFine ? { ok: true } : { ok: false, code: 'ERR_SQL', reason };
      expect(outcome, outcome.attack).toMatchObject({ ...expected, next: '[{"word":"fine"}]' });
      expect(outcome.length ?? 0, outcome.attack).toBeLessThan(3_000);
      expect(outcome.peakMb, outcome.attack).toBeLessThanOrEqual(MAX_MB);
    }
  },
);
