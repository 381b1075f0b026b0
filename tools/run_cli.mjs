import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../bin/tgp.js', import.meta.url));

/**
 * Runs `tgp` as a person would, in a process of its own.
 * @param {string} cwd
 * @param {string[]} args
 * @param {{ input?: string, env?: NodeJS.ProcessEnv }} [options] its standard input, and more of its environment
 */
export async function runCli(cwd, args, { input = '', env = {} } = {}) {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, env: { ...process.env, ...env } });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}
