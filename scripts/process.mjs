/** Running other programs from the scripts. Node's own modules only: the scripts run before `npm ci`. */

import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Where napi-derive leaves the types of the binding. Cargo rebuilds the crate when this variable changes, so every
 * cargo command of the project sets the same value.
 */
export const TYPE_DEF_DIR = join(ROOT, 'target', 'napi-types');

/** rustup's folder is often missing from the PATH of non-login shells. */
const PATH = [process.env.PATH, join(homedir(), '.cargo', 'bin')].join(delimiter);
const ENV = { ...process.env, PATH, NAPI_TYPE_DEF_TMP_FOLDER: TYPE_DEF_DIR };
const LOCAL_BIN = join(ROOT, 'node_modules', '.bin');

/** More than any output that a script reads at once. */
const MAX_OUTPUT = 256 << 20;

/** A command of the project failed; its own output has already said why. */
export class StepFailed extends Error {}

/**
 * Does the work of a script that somebody has started, not of one that is imported; a step that failed is told in its own words.
 * @param {string} module its `import.meta.url`
 * @param {() => void | Promise<void>} main
 */
export async function whenStarted(module, main) {
  if (process.argv[1] !== fileURLToPath(module)) return;
  try {
    await main();
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/**
 * How a program is started. Windows has npm and what npm installs as scripts that only a shell starts, and a shell takes paths with
 * spaces apart: there Node runs npm's own file, and a shell only what npm has installed.
 * @param {string} command
 * @param {string[]} args
 * @param {{ platform?: string, node?: string }} [machine]
 * @returns {{ command: string, args: string[], shell: boolean }}
 */
export function program(command, args, { platform = process.platform, node = process.execPath } = {}) {
  if (platform !== 'win32') return { command, args, shell: false };
  const npm = join(dirname(node), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  if (command === 'npm') return { command: node, args: [npm, ...args], shell: false };
  const isScript = command.startsWith(LOCAL_BIN);
  return { command: isScript ? `"${command}"` : command, args, shell: isScript };
}

/**
 * Runs a program with its output shown and returns its exit code.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [extra] environment variables of this program alone
 */
export function status(command, args, extra) {
  const env = { ...ENV, ...extra };
  const started = program(command, args);
  const options = { cwd: ROOT, env, stdio: /** @type {const} */ ('inherit'), shell: started.shell };
  const { error, status: code } = spawnSync(started.command, started.args, options);
  if (error) throw new StepFailed(`${command} could not be started: ${error.message}`);
  return code ?? 1;
}

/**
 * Runs a program with its output shown; anything but exit code 0 stops the script.
 * @param {string} command
 * @param {string[]} args
 */
export function run(command, args) {
  const code = status(command, args);
  if (code !== 0) throw new StepFailed(`"${[command, ...args].join(' ')}" ended with exit code ${code}.`);
}

/**
 * The output of a program, or undefined when it is missing or fails.
 * @param {string} command
 * @param {string[]} args
 */
export function capture(command, args) {
  const { error, code, stdout } = output(ROOT, command, args);
  return error || code !== 0 ? undefined : stdout;
}

/**
 * The output of a program in a folder of its own; anything but exit code 0 stops the script.
 * @param {string} folder
 * @param {string} command
 * @param {string[]} args
 */
export function captureIn(folder, command, args) {
  const { error, code, stdout, stderr } = output(folder, command, args);
  if (error) throw new StepFailed(`${command} could not be started: ${error.message}`);
  if (code !== 0) throw new StepFailed(`"${[command, ...args].join(' ')}" ended with exit code ${code}.\n${stderr}`);
  return stdout;
}

/**
 * @param {string} folder
 * @param {string} command
 * @param {string[]} args
 */
function output(folder, command, args) {
  const started = program(command, args);
  const encoding = /** @type {const} */ ('utf8');
  const options = { cwd: folder, env: ENV, encoding, shell: started.shell, maxBuffer: MAX_OUTPUT };
  const { error, status: code, stdout, stderr } = spawnSync(started.command, started.args, options);
  return { error, code, stdout, stderr };
}

/**
 * The path of a program that `npm ci` installed.
 * @param {string} name
 */
export function localBin(name) {
  return join(LOCAL_BIN, name);
}

/** @param {string} title */
export function announce(title) {
  process.stdout.write(`\n==> ${title}\n`);
}
