/** Reports of file changes without a lasting Git history. */

const NOT_IN_GIT =
  'The files are in the adapter passed as "vfs", and "git.repo" is not set, so they are not kept in Git.';

/**
 * The report of a change whose Git history is lost with the kernel.
 * @template {object} Written
 * @param {Written} written
 * @returns {Written}
 */
export function withoutGit(written) {
  const { commit: _commit, ...rest } = /** @type {any} */ (written);
  if (rest.written !== undefined) return { ...rest, written: withoutGit(rest.written) };
  return rest.persisted === undefined ? written : { ...rest, persisted: false, problem: NOT_IN_GIT };
}
