/** Runs code in Node, in a separate process. */

import { spawn } from 'node:child_process';
import { json } from 'node:stream/consumers';

/** @typedef {import('./outcome.mjs').Outcome} Outcome */

const PROGRAM = `
const AsyncFunction = (async () => {}).constructor;
let input = '';
for await (const chunk of process.stdin) input += chunk;
for (const name of Object.keys(console)) if (typeof console[name] === 'function') console[name] = { [name]() {} }[name];
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
// Keeps Node alive: it would exit while only an abort signal's timeout is pending.
setInterval(() => {}, 1e6);
const outcomes = [];
for (const code of JSON.parse(input)) {
  try {
    const value = await new AsyncFunction(code)();
    outcomes.push({ value: JSON.parse(JSON.stringify(value) ?? 'null') });
  } catch (error) {
    outcomes.push({ error: String(error?.name ?? typeof error), message: String(error?.message ?? error) });
  }
}
process.stdout.write(JSON.stringify(outcomes), () => process.exit());
`;

/**
 * The outcome of each text as a function body.
 * @param {string[]} codes
 * @returns {Promise<Outcome[]>}
 */
export async function inNode(codes) {
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TZ: 'UTC' },
  });
  child.stdin.end(JSON.stringify(codes));
  return /** @type {Promise<Outcome[]>} */ (json(child.stdout));
}
