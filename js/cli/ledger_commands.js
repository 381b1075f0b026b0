import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { NotFoundError, unwrap, ValidationError } from '../boundary/errors.js';
import { guarded, ignored } from '../boundary/guarded.js';
import { harmless, harmlessJson } from '../boundary/harmless.js';
import { native } from '../boundary/native.js';
import { eventLine, treeLines } from './ledger_text.js';
import { data } from './output.js';
import { json, line, styled, withProgress } from './screen.js';
import { withWorkspace } from './workspace.js';

/**
 * @typedef {import('./screen.js').Format} Format
 * @typedef {{ config?: string, format: Format }} Options
 * @typedef {import('../../index.js').LedgerVerification} Verification
 * @typedef {import('../../index.js').LedgerEventType} EventType
 */

const TAIL_EVENTS = 20;
const SHORT_HASH = 12;
/** Exit codes of `verify`. */
const CHANGED = 3;
const TRUNCATED = 4;

/**
 * @param {Options & { limit?: number, session?: string, path?: string, tool?: string, type?: string, follow?: boolean }} options
 */
export async function tail({ format, config, follow, limit = TAIL_EVENTS, ...options }) {
  const filter = { ...options, type: /** @type {EventType | undefined} */ (options.type?.toUpperCase()) };
  return onLedger(config, async (ledger) => {
    const events = await ledger.tail({ ...filter, limit });
    if (!follow) {
      if (format === 'json') json(events);
      else for (const event of events) line(eventLine(event));
      if (format === 'text' && events.length === 0) line(await emptyMessage(ledger));
      return 0;
    }
    const show = (/** @type {import('../../index.js').LedgerEvent} */ event) =>
      line(format === 'json' ? harmlessJson(event) : eventLine(event));
    for (const event of events) show(event);
    const stop = new AbortController();
    const end = guarded(ignored, () => stop.abort());
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
    for await (const event of ledger.follow({ ...filter, after: events.at(-1)?.seq, signal: stop.signal })) show(event);
    return 0;
  });
}

/** @param {import('../../index.js').KernelLedger} ledger */
async function emptyMessage(ledger) {
  const [newest] = await ledger.tail({ limit: 1 });
  return newest === undefined ? 'The ledger has no events yet.' : 'No event matches the filter.';
}

/**
 * @param {string} call its id, or the position of one of its events
 * @param {Options} options
 */
export async function show(call, { format, config }) {
  const tree = await onLedger(config, (ledger) =>
    ledger.show(call).catch((error) => {
      throw error instanceof NotFoundError ? noCall(call, error) : error;
    }),
  );
  if (format === 'json') json(tree);
  else for (const text of treeLines(tree)) line(text);
  return 0;
}

/**
 * @param {string} call
 * @param {InstanceType<typeof NotFoundError>} cause
 */
function noCall(call, cause) {
  const what = /^\d+$/.test(call)
    ? `The ledger has no event #${call} that belongs to a call.`
    : `The ledger has no call "${call}".`;
  return new NotFoundError(`${what} "tgp ledger tail --type CALL" lists calls and their ids.`, {
    details: cause.details,
    cause,
  });
}

/** @param {Options & { file?: string, key?: string }} options */
export async function verify({ format, config, file, key }) {
  if (key !== undefined && file === undefined) {
    throw new ValidationError(
      '--key requires --file: only an export is verified with a given key. A workspace is verified with its own key.',
    );
  }
  const found = await withProgress(format, 'Verifying', async () =>
    file === undefined ? onLedger(config, (ledger) => ledger.verify()) : verifyFile(file, key),
  );
  if (format === 'json') json(found);
  else printVerdict(found);
  if (found.problem === undefined) return 0;
  return found.problem.kind === 'truncated' ? TRUNCATED : CHANGED;
}

/** @param {Options} options */
export async function signBase({ format, config }) {
  const found = await onLedger(config, async (ledger) => {
    await ledger.signBase();
    return ledger.verify();
  });
  if (format === 'json') json(found);
  else printVerdict(found);
  return found.problem === undefined ? 0 : CHANGED;
}

/** @param {Options & { keep?: number, before?: string, dryRun?: boolean }} options */
export async function prune({ format, config, keep, before, dryRun = false }) {
  const pruned = await withProgress(format, 'Pruning', () =>
    onLedger(config, (ledger) => ledger.prune({ keep, before, dryRun })),
  );
  if (format === 'json') json(pruned);
  else {
    const what = dryRun ? styled('yellow', 'would delete') : styled('green', 'deleted');
    line(`${what}  ${pruned.events} ${pruned.events === 1 ? 'event' : 'events'}, first kept event: #${pruned.first}`);
  }
  return 0;
}

/** @param {Options & { output?: string }} options */
export async function exportLedger({ format, config, output }) {
  const file = output === undefined ? undefined : createWriteStream(output, { mode: 0o600 });
  const write = (/** @type {string} */ text) => (file === undefined ? data(text) : file.write(`${text}\n`));
  const lines = await onLedger(config, async (ledger) => {
    let count = 0;
    for await (const text of ledger.export()) {
      if (!write(text)) await once(file ?? process.stdout, 'drain');
      count += 1;
    }
    return count;
  });
  if (file === undefined) return 0;
  file.end();
  await once(file, 'finish');
  if (format === 'json') json({ file: output, lines });
  else line(`${styled('green', 'exported')}  ${lines} lines to ${output}`);
  return 0;
}

/**
 * Runs `work` on the ledger of the workspace, without contacting the remote and without starting workers.
 * @template T
 * @param {string | undefined} config
 * @param {(ledger: import('../../index.js').KernelLedger) => Promise<T>} work
 */
function onLedger(config, work) {
  return withWorkspace({ config, needs: 'ledger' }, (kernel) => work(kernel.ledger));
}

/**
 * Verifies an export file, which needs no workspace.
 * @param {string} file
 * @param {string | undefined} key
 * @returns {Promise<Verification>}
 */
async function verifyFile(file, key) {
  for (const name of [file, ...(key === undefined ? [] : [key])]) {
    if (!existsSync(name)) throw new NotFoundError(`There is no file "${name}".`);
  }
  return unwrap(await native().verifyExport(resolve(file), key === undefined ? null : resolve(key)));
}

/** @param {Verification} found */
function printVerdict({ events, first, head, problem, note }) {
  const begin = first > 1 ? ` from #${first} on, older events were deleted` : '';
  const size = `${events} ${events === 1 ? 'event' : 'events'}${begin}, head ${head.slice(0, SHORT_HASH)}`;
  if (problem === undefined) {
    line(`${styled('green', 'verified')}  ${size}`);
  } else {
    const cause = problem.cause === undefined ? '' : ` Cause: ${problem.cause}.`;
    line(`${styled('red', problem.kind)} at #${problem.seq}: ${harmless(problem.message)}${cause}`);
    line(styled('dim', size));
  }
  if (note !== undefined) line(styled('yellow', harmless(note)));
}
