/** Chronicles: the events of files. */

import type { ChronicleEvent, LedgerActor } from './ledger.js';

/**
 * `kernel.chronicle`: the events of files in the shape of the original protocol; the ledger holds them. The chronicle of
 * a file is named by its path, which may end in `.sage`.
 */
export type KernelChronicle = {
  /**
   * Appends an event of the application. Its `timestamp` is kept; `ts` of the ledger's event is the time of writing.
   * @throws {ValidationError} for a type that only the kernel, its guardian or its watcher records
   */
  append(path: string, event: NewChronicleEvent): Promise<void>;
  /** All events of a file, oldest first. */
  read(path: string): Promise<ChronicleEvent[]>;
  /** The last events of a file, oldest first. Default: 50. */
  tail(path: string, count?: number): Promise<ChronicleEvent[]>;
};

/** An event for a chronicle. */
export type NewChronicleEvent = {
  type: string;
  /** When it happened, by the application's clock. */
  timestamp?: string;
  /** Default: the application. */
  actor?: LedgerActor;
  filePath?: string;
  [body: string]: unknown;
};
