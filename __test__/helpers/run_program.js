import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const INDEX = new URL('../../index.js', import.meta.url).href;
const PRELUDE = `const { TGP, tgpTools, createSqlTools, sqlite } = await import(${JSON.stringify(INDEX)});\n`;

/**
 * Starts a program that uses the package, in a process of its own.
 * @param {string} cwd
 * @param {string} code an ES module; `TGP`, `tgpTools`, `createSqlTools` and `sqlite` are there
 * @param {NodeJS.ProcessEnv} [env] more of its environment
 */
export function startProgram(cwd, code, env = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', `${PRELUDE}${code}`], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]).then(([[exitCode, signal], stderr]) => ({
    exitCode,
    signal,
    stderr,
  }));
  return { child, ended };
}

/**
 * Runs a program to its end and returns what it printed, as JSON.
 * @param {string} cwd
 * @param {string} code
 * @param {NodeJS.ProcessEnv} [env] more of its environment
 * @returns {Promise<any>}
 */
export async function runProgram(cwd, code, env) {
  const { child, ended } = startProgram(cwd, code, env);
  const [printed, { exitCode, stderr }] = await Promise.all([text(child.stdout), ended]);
  if (exitCode !== 0) throw new Error(`The program ended with ${exitCode}: ${stderr}`);
  return JSON.parse(printed);
}
