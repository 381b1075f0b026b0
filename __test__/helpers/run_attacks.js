import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const CHILD = fileURLToPath(new URL('./hostile_child.mjs', import.meta.url));
/** `TGP_INDEX` names another build of the package to attack. */
const INDEX = process.env.TGP_INDEX ?? new URL('../../index.js', import.meta.url).href;

/** What any single call may cost the application above its idle memory, at default limits. */
export const MAX_MB = 200;

/**
 * @typedef {import('./hostile_child.mjs').Attack} Attack
 * @typedef {object} Outcome
 * @property {string} attack
 * @property {boolean} ok
 * @property {string} [code]
 * @property {string} [reason]
 * @property {string} [message]
 * @property {number} [length] of the whole message
 * @property {number} [size] of the rows
 * @property {string} next rows or error of the next good statement
 * @property {number} peakMb
 * @property {number} lateMs the longest delay of the event loop by computation in the application
 * @property {unknown} pool
 */

/**
 * Runs attacks in an application of its own, one after the other.
 * @param {string} source
 * @param {{ postgres?: number, mariadb?: number }} ports
 * @param {Attack[]} attacks
 * @param {string[]} [command] Node, with flags
 * @returns {Promise<Outcome[]>} rejects when anything escapes, or the process ends
 */
export async function runAttacks(source, ports, attacks, command = [process.execPath]) {
  // Removed here: tests that run concurrently would remove a `tempRoot` of each other.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tgp-attack-')));
  try {
    return await outcomesOf({ index: INDEX, source, where: { ...ports, folder }, attacks }, command);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/**
 * @param {object} order
 * @param {string[]} command
 * @returns {Promise<Outcome[]>}
 */
async function outcomesOf(order, command) {
  const [node = '', ...flags] = command;
  const child = spawn(node, [...flags, '--expose-gc', CHILD, JSON.stringify(order)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [lines, errors, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  // Drivers print as well.
  const printed = lines.split('\n').filter((line) => line.startsWith('{'));
  const outcomes = printed.map((line) => JSON.parse(line));
  if (code !== 0 || outcomes.at(-1)?.ended !== true) {
    throw new Error(`The application ended with ${signal ?? code}: ${printed.at(-1) ?? ''}\n${errors}`);
  }
  return outcomes.slice(0, -1);
}
