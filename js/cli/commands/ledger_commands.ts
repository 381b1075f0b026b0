/** The commands `tgp ledger …`: show, verify, sign, prune and export the ledger. */

import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { NotFoundError, ValidationError } from '../../boundary/errors.js';
import { guarded, ignored } from '../../boundary/guarded.js';
import { harmless, harmlessJson } from '../../boundary/harmless.js';
import { native } from '../../boundary/native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type {
  LedgerEventType as EventType,
  KernelLedger,
  LedgerEvent,
  LedgerVerification as Verification,
} from '../../types/ledger.js';
import { data } from '../terminal/output.js';
import type { Format } from '../terminal/screen.js';
import { json, line, styled, withProgress } from '../terminal/screen.js';
import { candidates, withWorkspace } from '../workspace/workspace.js';
import { eventLine, treeLines } from './ledger_text.js';

type Options = { config?: string; format: Format };

const TAIL_EVENTS = 20;
const SHORT_HASH = 12;
/** Exit codes of `verify`. */
const CHANGED = 3;
const TRUNCATED = 4;

/** `tgp ledger tail`: the newest events, and with `--follow` those that come. */
export async function tail({
  format,
  config,
  follow,
  limit = TAIL_EVENTS,
  ...options
}: Options & { limit?: number; session?: string; path?: string; tool?: string; type?: string; follow?: boolean }) {
  const asked = { ...options, type: options.type?.toUpperCase() as EventType | undefined };
  return onLedger(config, async (ledger) => {
    const filter = { ...asked, path: await recordedPath(ledger, options.path) };
    const events = await ledger.tail({ ...filter, limit });
    if (!follow) {
      if (format === 'json') json(events);
      else for (const event of events) line(eventLine(event));
      if (format === 'text' && events.length === 0) line(await emptyMessage(ledger));
      return 0;
    }
    const show = (event: LedgerEvent) => line(format === 'json' ? harmlessJson(event) : eventLine(event));
    for (const event of events) show(event);
    const stop = new AbortController();
    const end = guarded(ignored, () => stop.abort());
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
    for await (const event of ledger.follow({ ...filter, after: events.at(-1)?.seq, signal: stop.signal })) show(event);
    return 0;
  });
}

/** The first of the full paths of a short path that the ledger has; the path itself if it has none. */
async function recordedPath(ledger: KernelLedger, path: string | undefined) {
  for (const each of path === undefined ? [] : [path, ...candidates(path)]) {
    if ((await ledger.tail({ path: each, limit: 1 })).length > 0) return each;
  }
  return path;
}

async function emptyMessage(ledger: KernelLedger) {
  const [newest] = await ledger.tail({ limit: 1 });
  return newest === undefined ? 'The ledger has no events yet.' : 'No event matches the filter.';
}

/** @param call its id, or the position of one of its events */
export async function show(call: string, { format, config }: Options) {
  const tree = await onLedger(config, (ledger) =>
    ledger.show(call).catch((error) => {
      throw error instanceof NotFoundError ? noCall(call, error) : error;
    }),
  );
  if (format === 'json') json(tree);
  else for (const text of treeLines(tree)) line(text);
  return 0;
}

function noCall(call: string, cause: InstanceType<typeof NotFoundError>) {
  const what = /^\d+$/.test(call)
    ? `The ledger has no event #${call} that belongs to a call.`
    : `The ledger has no call "${call}".`;
  return new NotFoundError(`${what} "tgp ledger tail --type CALL" lists calls and their ids.`, {
    details: cause.details,
    cause,
  });
}

/** `tgp ledger verify`: checks the hashes and signatures of the ledger, or of an export. */
export async function verify({ format, config, file, key }: Options & { file?: string; key?: string }) {
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

/** `tgp ledger sign-base`: signs the first event that is kept. */
export async function signBase({ format, config }: Options) {
  const found = await onLedger(config, async (ledger) => {
    await ledger.signBase();
    return ledger.verify();
  });
  if (format === 'json') json(found);
  else printVerdict(found);
  return found.problem === undefined ? 0 : CHANGED;
}

/** `tgp ledger prune`: removes old events. */
export async function prune({
  format,
  config,
  keep,
  before,
  dryRun = false,
}: Options & { keep?: number; before?: string; dryRun?: boolean }) {
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

/** `tgp ledger export`: writes all events as JSON lines. */
export async function exportLedger({ format, config, output }: Options & { output?: string }) {
  const file = output === undefined ? undefined : createWriteStream(output, { mode: 0o600 });
  const write = (text: string) => (file === undefined ? data(text) : file.write(`${text}\n`));
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

/** Runs `work` on the ledger of the workspace, without contacting the remote and without starting workers. */
function onLedger<T>(config: string | undefined, work: (ledger: KernelLedger) => Promise<T>) {
  return withWorkspace({ config, needs: 'ledger' }, (kernel) => work(kernel.ledger));
}

/** Verifies an export file, which needs no workspace. */
async function verifyFile(file: string, key: string | undefined): Promise<Verification> {
  for (const name of [file, ...(key === undefined ? [] : [key])]) {
    if (!existsSync(name)) throw new NotFoundError(`There is no file "${name}".`);
  }
  return unwrap(await native().verifyExport(resolve(file), key === undefined ? null : resolve(key)));
}

function printVerdict({ events, first, head, problem, note }: Verification) {
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
