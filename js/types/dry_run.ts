/** Dry runs. */

import type { TGPErrorCode } from './errors.js';

/** Option for a dry run: returns what a call would do, instead of making it. */
export type DryRunOption = {
  /**
   * Nothing is changed: no file, no commit, no row, and nothing is sent that could change something elsewhere. The result is a
   * {@link DryRunResult}.
   */
  dryRun: true;
};

/**
 * The preview of a call. A dry run is refused with the same error as the call itself; the same dry run gives the same result
 * again.
 */
export type DryRunResult<Result = any> = {
  dryRun: true;
  /** The result of the call, if it got that far; for a write without its commit. */
  result?: Result;
  /**
   * The files that would change, sorted by path, each as `git diff --no-renames` would show it; without `meta.json`, which is
   * derived.
   */
  diffs: { path: string; diff: string }[];
  /**
   * Statements that change data: they were executed and rolled back, like all others. `mayWrite` marks a query that calls a
   * function which may write, such as a `VOLATILE` function of PostgreSQL.
   */
  sql: { sql: string; affected: number; mayWrite?: boolean }[];
  /** Requests other than GET and HEAD. They were not sent: the tool got an error instead. */
  requests: { method: string; url: string }[];
  /** Functions of `sandboxAPI` that are not marked `readOnly`. They were not called: the tool got an error instead. */
  calls: { name: string; args: any[] }[];
  /** Why the run ended without a result, after an entry of `requests` or `calls` was refused. */
  stopped?: { code: TGPErrorCode; message: string };
  /** All of that as text, for a person or a model; truncated if long. */
  text: string;
};
