/** Programs that are missing on this machine, and the Debian packages that have them. */

import { announce, capture, run } from './process.mjs';

/** @typedef {{ program: string, versionFlag?: string, packages: string[] }} Program `versionFlag`: prints its version */

/**
 * Those of some programs that are not on the PATH.
 * @param {Program[]} programs
 */
export function missingPrograms(programs) {
  return programs.filter(({ program, versionFlag = '--version' }) => capture(program, [versionFlag]) === undefined);
}

/** Whether `apt-get` is there, and may be used by this user. */
export function canInstall() {
  const allowed = isRoot() || capture('sudo', ['--version']) !== undefined;
  return allowed && capture('apt-get', ['--version']) !== undefined;
}

export function isRoot() {
  return process.getuid?.() === 0;
}

/** @param {string[]} packages */
export function installPackages(packages) {
  announce(`Installing Debian packages: ${packages.join(' ')}`);
  const prefix = isRoot() ? [] : ['sudo'];
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', ...packages]]) {
    const [command = 'env', ...rest] = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
    run(command, rest);
  }
}
