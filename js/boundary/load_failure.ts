/** Explains why the native addon could not be loaded, with a remedy for known reasons. */

/** Maximum length of the cause chain. */
const MAX_CAUSES = 50;
const MAX_REASON_CHARS = 300;
const NOT_THERE = /^Cannot find (?:module|native binding|package)/;
/** Folder names, which are removed from messages. */
const FOLDERS = /(?:[A-Za-z]:)?[\\/](?:[^\s:'"\\/]+[\\/])+/g;

const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /failed to map segment|cannot (?:enable|change memory)|Operation not permitted/i,
    'Its folder is probably mounted "noexec". Put node_modules on a file system that allows execution.',
  ],
  [
    /GLIBC(?:XX)?_[\d.]+' not found/,
    'The glibc of this system is too old: 2.34 or later is needed, as in Debian 12, Ubuntu 22.04 and Amazon Linux 2023.',
  ],
  [
    /cannot open shared object file|invalid ELF header|wrong architecture|file too short/i,
    'It was installed for another system, or incompletely. Install it again on this system.',
  ],
];

/**
 * @param failure of the loader, with one cause per attempt
 * @returns undefined if there was no file to load
 */
export function loadFailure(failure: unknown): string | undefined {
  const reason = firstReason(failure);
  if (reason === undefined) return undefined;
  const [, remedy] = REMEDIES.find(([pattern]) => pattern.test(reason)) ?? [];
  return `Reason: ${reason}.${remedy === undefined ? '' : ` ${remedy}`}`;
}

/** The error of the first file that exists but did not load. It was tried first, so it is the innermost cause. */
function firstReason(failure: unknown) {
  let reason: string | undefined;
  let error = failure;
  for (let depth = 0; depth < MAX_CAUSES && error instanceof Error; depth++) {
    if (!NOT_THERE.test(error.message)) reason = error.message;
    error = error.cause;
  }
  const [line = ''] = reason?.split('\n') ?? [];
  const shown = line.replace(FOLDERS, '').trim().replace(/\.$/, '').slice(0, MAX_REASON_CHARS);
  return shown === '' ? undefined : shown;
}
