/** Why a file that is in an application's own files is not in Git. */
const NOT_IN_GIT = 'The files are in the adapter that was given as "vfs", and "git.repo" names no remote to keep them.';

/**
 * The report of a change of files whose history ends with the kernel.
 * @template {object} Written
 * @param {Written} written
 * @returns {Written}
 */
export function withoutGit(written) {
  const { commit: _commit, ...rest } = /** @type {any} */ (written);
  if (rest.written !== undefined) return { ...rest, written: withoutGit(rest.written) };
  return rest.persisted === undefined ? written : { ...rest, persisted: false, problem: NOT_IN_GIT };
}
