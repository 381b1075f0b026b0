/** Reports of file changes without a lasting Git history. */

const NOT_IN_GIT =
  'The files are in the adapter passed as "vfs", and "git.repo" is not set, so they are not kept in Git.';

type Report = { commit?: unknown; persisted?: unknown; written?: object };

/** The report of a change whose Git history is lost with the kernel. */
export function withoutGit<Written extends object>(written: Written): Written {
  const { commit: _commit, ...rest }: Report = written;
  if (rest.written !== undefined) return { ...rest, written: withoutGit(rest.written) } as Written;
  if (rest.persisted === undefined) return written;
  return { ...rest, persisted: false, problem: NOT_IN_GIT } as Written;
}
