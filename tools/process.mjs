/** Helpers to run other programs. Only Node's own modules: the scripts run before `npm ci`. */

import { spawnSync } from 'node:child_process';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * The folder into which napi-derive writes the binding's types. Cargo rebuilds the crate when this variable changes, so every
 * cargo command of the project sets the same value.
 */
export const TYPE_DEF_DIR = join(ROOT, 'target', 'napi-types');

/** rustup's folder is often missing from the PATH of non-login shells. */
const PATH = [process.env.PATH, join(homedir(), '.cargo', 'bin')].join(delimiter);
const ENV = { ...process.env, PATH, NAPI_TYPE_DEF_TMP_FOLDER: TYPE_DEF_DIR };
const LOCAL_BIN = join(ROOT, 'node_modules', '.bin');

/** The maximum size of captured output. */
const MAX_OUTPUT = 256 << 20;

/** A step failed; the message, or the output of its command, has the reason. */
export class StepFailed extends Error {}

/**
 * Runs a script's main function if the script was started directly, not imported. A failed step prints only its message.
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
 * The command line for a program. On Windows, npm and programs installed by npm are scripts that need a shell, and a shell
 * splits paths with spaces: there Node runs npm's own file, and only programs installed by npm use a shell.
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
 * Runs a program with inherited output and returns its exit code.
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
 * Runs a program with inherited output; an exit code other than 0 stops the script.
 * @param {string} command
 * @param {string[]} args
 */
export function run(command, args) {
  const code = status(command, args);
  if (code !== 0) throw new StepFailed(`"${[command, ...args].join(' ')}" ended with exit code ${code}.`);
}

/**
 * The output of a program, or undefined if it is missing or fails.
 * @param {string} command
 * @param {string[]} args
 */
export function capture(command, args) {
  const { error, code, stdout } = output(ROOT, command, args);
  return error || code !== 0 ? undefined : stdout;
}

/**
 * The output of a program run in a given folder; an exit code other than 0 stops the script.
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
