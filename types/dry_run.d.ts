import type { TGPErrorCode } from './errors.js';

/** Asks what a call would do, instead of making it. */
export type DryRunOption = {
  /**
   * Nothing is changed: no file, no commit, no row, and nothing is sent that could change something elsewhere. What the call
   * would do is told as a {@link DryRunResult}.
   */
  dryRun: true;
};

/**
 * What a call would do. Whatever would refuse the call refuses its preview with the same error; a call that asks for the same
 * again is told the same.
 */
export type DryRunResult<Result = any> = {
  dryRun: true;
  /** What the call would answer, as far as it came; of a write all but its commit. */
  result?: Result;
  /**
   * The files that would change, sorted by path, each as `git diff --no-renames` would show it; without `meta.json`, which
   * follows by itself.
   */
  diffs: { path: string; diff: string }[];
  /**
   * Statements that change something: they were executed, and rolled back with all others. `mayWrite` is a query that calls what
   * may write, such as a `VOLATILE` function of PostgreSQL.
   */
  sql: { sql: string; affected: number; mayWrite?: boolean }[];
  /** Requests other than GET and HEAD. They were not sent: the tool was told so. */
  requests: { method: string; url: string }[];
  /** Functions of `sandboxAPI` that are not marked `readOnly`. They were not called: the tool was told so. */
  calls: { name: string; args: any[] }[];
  /** Why the run ended without a result, after something in `requests` or `calls` was refused to it. */
  stopped?: { code: TGPErrorCode; message: string };
  /** All of that in words, for a person or a model; a long one is cut. */
  text: string;
};
