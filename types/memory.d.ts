import type { TGP } from './kernel.js';

/**
 * Gives one vector per text, all of the same length: at most 8192 finite numbers each. It gets at most 64 texts at a time. The
 * texts of tools are read in the background and their vectors kept beside the repository, so each is asked for once; a call that
 * takes longer than 30 seconds has failed. A request is asked for when it is searched for, and after 3 seconds words alone
 * decide. After a failure it is left alone for 30 seconds. Another model is noticed, and all texts are read again.
 */
export type EmbedTexts = (texts: string[]) => Promise<ArrayLike<number>[]> | ArrayLike<number>[];

/** How far the texts of tools were read. */
export type MemoryReport = {
  /** `'meaning'` when a model reads them; `'words'` without one, or when it failed. */
  by: 'meaning' | 'words';
  /** Texts that were read. */
  texts: number;
  /** Texts that are still to be read. */
  waiting: number;
  /** Why they cannot be read. */
  problem?: string;
};

/** What became of tools: how many were forged, and how often one that was there was used instead. */
export type ReuseTally = {
  /** New tools that were written, and do a job of their own. */
  forged: number;
  /** Runs of tools that had been run before. */
  reused: number;
  /** New tools that were written for a job that another one does. */
  duplicate: number;
  /** New tools that were refused because another one does their job (`reuse: 'strict'`). */
  refused: number;
};

/** What {@link TGP.stats} tells, counted on this machine. */
export type Stats = {
  total: ReuseTally;
  /** By day of universal time, as `2026-11-16`, oldest first; days on which nothing happened are left out. */
  days: (ReuseTally & { day: string })[];
  memory: MemoryReport;
};
