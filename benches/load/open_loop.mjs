/**
 * An open-loop load generator: calls arrive by a schedule, independent of earlier ones. The time of a call counts from when it
 * was due, so that a stall counts for all calls that waited (no coordinated omission).
 */

import { numbers } from '../../tools/statistics.mjs';
import { codeOf, pause } from './workspace.mjs';

/** The timeout for answers after the last call. */
const LAST_ANSWER_MS = 60_000;

/**
 * @typedef {{ id: number, kind: string, ms: number, code?: string, value?: any }} Answer `code` of a call that failed
 * @param {object} load
 * @param {number} load.rate calls a second
 * @param {number} load.seconds
 * @param {Record<string, { share: number, call: (id: number) => Promise<unknown> }>} load.kinds shares of 100
 * @returns {Promise<{ answers: Answer[], unanswered: number }>}
 */
export async function openLoop({ rate, seconds, kinds }) {
  const random = numbers(rate);
  const bag = Object.entries(kinds).flatMap(([kind, { share }]) => Array.from({ length: share }, () => kind));
  /** @type {Answer[]} */
  const answers = [];
  /** @type {Promise<void>[]} */
  const calls = [];
  const begun = performance.now();
  /** @param {number} id @param {number} due */
  const start = async (id, due) => {
    const kind = bag[Math.floor(random() * bag.length)] ?? '';
    try {
      const value = await kinds[kind]?.call(id);
      answers.push({ id, kind, ms: performance.now() - due, value });
    } catch (error) {
      answers.push({ id, kind, ms: performance.now() - due, code: codeOf(error) });
    }
  };
  let due = begun;
  for (let id = 1; ; id++) {
    // Independent arrivals: exponential gaps.
    due += (-Math.log(1 - random()) * 1000) / rate;
    if (due > begun + 1000 * seconds) break;
    if (due > performance.now()) await pause(due - performance.now());
    calls.push(start(id, due));
  }
  await Promise.race([Promise.all(calls), pause(LAST_ANSWER_MS)]);
  return { answers, unanswered: calls.length - answers.length };
}
