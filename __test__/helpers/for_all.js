/** Random inputs through the public API. Internals are tested by the `fuzz_tests.rs` of the parts. */

import fc from 'fast-check';
import { SEEDS } from '../fuzz/seeds.js';

/** The same inputs every time, in a short run. */
const SEED = 20261116;
const RUNS = 60;

/**
 * Tries inputs until one breaks the property, and reports it shrunk, with its seed, which belongs into `seeds.js`.
 * `TGP_FUZZ_SECONDS` makes it a long run with other inputs each time.
 * @template T
 * @param {string} name of its seeds
 * @param {fc.Arbitrary<T>} inputs
 * @param {(input: T) => Promise<void>} holds
 * @param {{ runs?: number, examples?: T[] }} [options] the number of inputs of a short run, and inputs to try first
 */
export async function forAll(name, inputs, holds, { runs = RUNS, examples = [] } = {}) {
  const property = fc.asyncProperty(inputs, holds);
  for (const { seed, path } of SEEDS[name] ?? [])
    await fc.assert(property, { seed, path, endOnFailure: true, numRuns: 1 });
  const seconds = Number(process.env.TGP_FUZZ_SECONDS ?? 0);
  const given = examples.map((example) => /** @type {[T]} */ ([example]));
  const long = {
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: 1000 * seconds,
    markInterruptAsFailure: false,
  };
  await fc.assert(property, { examples: given, ...(seconds > 0 ? long : { seed: SEED, numRuns: runs }) });
}

/**
 * Texts put together from pieces, with any letter here and there.
 * @param {string[]} pieces
 * @param {number} most
 */
export function texts(pieces, most) {
  const piece = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...pieces) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 2 }) },
  );
  return fc.array(piece, { maxLength: most }).map((parts) => parts.join(''));
}

/** How long a test may take. */
export const TIMEOUT_MS = 240_000 + 2000 * Number(process.env.TGP_FUZZ_SECONDS ?? 0);
