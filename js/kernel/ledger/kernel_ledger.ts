/** The ledger API of a kernel. */

import { untilAborted } from '../../boundary/abort.js';
import { AbortedError, ShutdownError, TGPError, ValidationError } from '../../boundary/errors.js';
import { ignored } from '../../boundary/guarded.js';
import { toJsonText } from '../../boundary/json_text.js';
import { parseArguments, requireText } from '../../boundary/validation.js';
import type { KernelLedger, LedgerEvent } from '../../types/ledger.js';
import { callTree } from '../calls/call_tree.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import { withRoom } from './ledger_room.js';
import {
  LedgerEventSchema,
  LedgerFollowSchema,
  LedgerPruneSchema,
  LedgerQuerySchema,
  LedgerReadSchema,
  LedgerTailSchema,
} from './ledger_schemas.js';

type Query = {
  limit?: number;
  after?: number;
  session?: string;
  path?: string;
  tool?: string;
  type?: string;
  call?: string;
  since?: number;
  until?: number;
};

/** Default limits of `tail` and `query`. */
const TAIL_EVENTS = 50;
const QUERY_EVENTS = 1_000;
/** Events per page of `follow` and `export`. */
const PAGE_EVENTS = 1_000;
/** Interval at which `follow` polls for new events. */
const POLL_MS = 100;

/** Implements `kernel.ledger`: the record of calls, decisions and results. */
export function kernelLedger(calls: KernelCalls): KernelLedger {
  return {
    append: async (event) => {
      const { type, session, actor, path, ...body } = parseArguments(LedgerEventSchema, event, 'ledger event');
      const text = toJsonText({ type, session, ...actor, path, body }, 'event');
      const append = () => calls.read((kernel) => kernel.ledgerAppend(text)).then(() => undefined, asError);
      const failure = await withRoom(append, isFull);
      if (failure) throw failure;
    },
    tail: async (options = {}) => {
      const { signal, ...query } = parseArguments(LedgerTailSchema, options, 'ledger tail options');
      return events(calls, { limit: TAIL_EVENTS, ...defined(query) }, signal);
    },
    query: async (options = {}) => {
      const { signal, ...query } = parseArguments(LedgerQuerySchema, options, 'ledger query');
      return events(calls, { limit: QUERY_EVENTS, ...defined(query) }, signal);
    },
    follow: (options = {}) => {
      const { signal, after, ...filter } = parseArguments(LedgerFollowSchema, options, 'ledger follow options');
      // The start position is that of this call, not of the first iteration.
      const start = after === undefined ? newest(calls, signal) : Promise.resolve(after);
      start.catch(ignored);
      return follow(calls, start, defined(filter), signal);
    },
    show: async (call, options = {}) => {
      const { signal } = parseArguments(LedgerReadSchema, options, 'ledger show options');
      const name = callName(call);
      return callTree(await calls.read((kernel) => kernel.ledgerTree(name), signal), name);
    },
    blob: async (hash) => {
      requireText(hash, 'hash');
      return calls.read((kernel) => kernel.ledgerBlob(hash));
    },
    verify: () => calls.read((kernel) => kernel.ledgerVerify()),
    checkpoint: () => calls.read((kernel) => kernel.ledgerCheckpoint()),
    signBase: async () => {
      await calls.read((kernel) => kernel.ledgerSignBase());
    },
    prune: async (options) => {
      const { keep, before, dryRun = false } = parseArguments(LedgerPruneSchema, options, 'ledger prune options');
      const what = JSON.stringify({ keep, before, dryRun });
      return calls.read((kernel) => kernel.ledgerPrune(what));
    },
    export: (options = {}) => {
      const { signal } = parseArguments(LedgerReadSchema, options, 'ledger export options');
      return exported(calls, signal);
    },
    chronicle: async (path) => {
      requireText(path, 'path');
      return calls.read((kernel) => kernel.ledgerChronicle(path));
    },
  };
}

async function events(calls: KernelCalls, query: Query, signal: AbortSignal | undefined): Promise<LedgerEvent[]> {
  const text = JSON.stringify(query);
  return calls.read((kernel) => kernel.ledgerTail(text), signal);
}

/** The position of the newest event. */
async function newest(calls: KernelCalls, signal: AbortSignal | undefined) {
  const [last] = await events(calls, { limit: 1 }, signal);
  return last?.seq ?? 0;
}

async function* follow(
  calls: KernelCalls,
  start: Promise<number>,
  filter: Query,
  signal: AbortSignal | undefined,
): AsyncGenerator<LedgerEvent, void, undefined> {
  try {
    let after = await start;
    for (;;) {
      const page = await events(calls, { ...filter, after, limit: PAGE_EVENTS }, signal);
      yield* page;
      after = page.at(-1)?.seq ?? after;
      if (page.length < PAGE_EVENTS) await untilAborted(pause(), signal);
    }
  } catch (error) {
    const isOver = error instanceof ShutdownError || (error instanceof AbortedError && signal?.aborted);
    if (!isOver) throw error;
  }
}

async function* exported(calls: KernelCalls, signal: AbortSignal | undefined): AsyncGenerator<string, void, undefined> {
  let next: number | null = 0;
  while (next !== null) {
    const after: number = next;
    const page = await calls.read((kernel) => kernel.ledgerExport(after, PAGE_EVENTS), signal);
    yield* page.lines;
    next = page.next;
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MS));
}

/** Validates the name of a call: its id, or the position of one of its events. */
function callName(call: unknown) {
  if (typeof call === 'string' && call !== '') return call;
  if (typeof call === 'number' && Number.isSafeInteger(call) && call > 0) return String(call);
  throw new ValidationError('"call" must be the id of a call, such as "1a2b3c4d5e6f-17", or the "seq" of an event.', {
    details: { field: 'call' },
  });
}

/** Removes undefined members, so that they do not override defaults. */
function defined<Options extends object>(options: Options): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

function asError(error: unknown) {
  return error;
}

/** @param failure of an append; a full ledger may accept the event later */
function isFull(failure: unknown) {
  return failure instanceof TGPError && failure.code === 'ERR_LEDGER' && failure.details.reason === 'full';
}
