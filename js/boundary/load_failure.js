/** Why the system did not load the native part: its own words, and what to do about those that are known. */

/** More errors than a loader ever tried places. */
const MAX_CAUSES = 50;
const MAX_REASON_CHARS = 300;
const NOT_THERE = /^Cannot find (?:module|native binding|package)/;
/** Names of folders say nothing about the reason, and may be nobody's business. */
const FOLDERS = /(?:[A-Za-z]:)?[\\/](?:[^\s:'"\\/]+[\\/])+/g;

/** @type {readonly (readonly [RegExp, string])[]} */
const REMEDIES = [
  [
    /failed to map segment|cannot (?:enable|change memory)|Operation not permitted/i,
    'The folder it is in is most likely mounted "noexec", which forbids to run what is in it: put node_modules where programs may run.',
  ],
  [
    /GLIBC(?:XX)?_[\d.]+' not found/,
    'The glibc of this system is too old: 2.34 or later is needed, as in Debian 12, Ubuntu 22.04 and Amazon Linux 2023.',
  ],
  [
    /cannot open shared object file|invalid ELF header|wrong architecture|file too short/i,
    'It was installed for another system, or not whole: install it again on, or for, this one.',
  ],
];

/**
 * @param {unknown} failure of the loader, whose causes are what it tried
 * @returns {string | undefined} nothing where there was no file to load
 */
export function loadFailure(failure) {
  const reason = firstReason(failure);
  if (reason === undefined) return undefined;
  const [, remedy] = REMEDIES.find(([known]) => known.test(reason)) ?? [];
  return `The system says: ${reason}.${remedy === undefined ? '' : ` ${remedy}`}`;
}

/**
 * The first file that was there and did not load: the loader tried it first, so it is the innermost cause.
 * @param {unknown} failure
 */
function firstReason(failure) {
  let reason;
  let error = failure;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
    if (!NOT_THERE.test(error.message)) reason = error.message;
    error = error.cause;
  }
  const [line = ''] = reason?.split('\n') ?? [];
  const shown = line.replace(FOLDERS, '').trim().replace(/\.$/, '').slice(0, MAX_REASON_CHARS);
  return shown === '' ? undefined : shown;
}
