/** Tool search by meaning, and statistics of reuse. */

import type { TGP } from '../kernel/tgp.js';

/**
 * Embeds texts: returns one vector per text, all of the same length, with at most 8192 finite numbers each. It gets at most 64
 * texts at a time. Tools are embedded in the background, and their vectors are cached beside the repository, so each text is
 * embedded once. A call times out after 30 seconds. A search query is embedded when it is searched; after 3 seconds the search
 * uses words only. After a failure it is not called for 30 seconds. A change of the model is detected, and all texts are embedded
 * again.
 */
export type EmbedTexts = (texts: string[]) => Promise<ArrayLike<number>[]> | ArrayLike<number>[];

/** Progress of the embedding of tools. */
export type MemoryReport = {
  /** `'meaning'` with an embedding model; `'words'` without one, or if it failed. */
  by: 'meaning' | 'words';
  /** Embedded texts. */
  texts: number;
  /** Texts that are not embedded yet. */
  waiting: number;
  /** Why texts cannot be embedded. */
  problem?: string;
};

/** Counts of forged and reused tools. */
export type ReuseTally = {
  /** New tools for a new job. */
  forged: number;
  /** Runs of tools that were run before. */
  reused: number;
  /** New tools for a job that another tool does. */
  duplicate: number;
  /** New tools that were refused because another one does their job (`reuse: 'strict'`). */
  refused: number;
};

/** Result of {@link TGP.stats}, counted on this machine. A killed process loses the counts of its last five seconds. */
export type Stats = {
  total: ReuseTally;
  /** Per day in UTC, such as `2026-11-16`, oldest first; days without events are omitted. */
  days: (ReuseTally & { day: string })[];
  memory: MemoryReport;
};
