/** The session API of a kernel. */

import { z } from 'zod';
import { NotFoundError, ValidationError } from '../../boundary/errors.js';
import { wholeNumber } from '../../boundary/limit_schema.js';
import { parseArguments, requireText } from '../../boundary/validation.js';
import type { KernelSessions } from '../../types/agent.js';
import type { KernelLedger, LedgerEvent } from '../../types/ledger.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import type { RecordedSession } from './recorded_session.js';
import { callsIn, rebuildSession, shownSession, textIn, withInputs } from './recorded_session.js';
import { SESSION_LOG, SessionLog } from './session_log.js';

const DEFAULT_LIMIT = 50;
const MAX_LISTED = 10_000;
const BY_CLOSING = { agent: 'application', id: '' };

const ListOptionsSchema = z.strictObject({
  limit: wholeNumber(1, MAX_LISTED).optional(),
  state: z.enum(['open', 'running', 'closed']).optional(),
});

/** Implements `kernel.sessions`: the conversations of agents. */
export function kernelSessions(
  calls: KernelCalls,
  ledger: KernelLedger,
): KernelSessions & { [SESSION_LOG]: SessionLog } {
  const log = new SessionLog(calls, ledger);
  const rebuilt = async (session: string) => {
    requireText(session, 'session');
    const found = rebuildSession(session, await log.events(session));
    if (found !== undefined) return found;
    throw new NotFoundError(
      `There is no session "${session}". List the sessions with kernel.sessions.list() or "tgp sessions".`,
    );
  };
  return {
    [SESSION_LOG]: log,
    list: async (options = {}) => {
      const { limit = DEFAULT_LIMIT, state } = parseArguments(ListOptionsSchema, options, 'sessions options');
      const bySession = new Map<string, LedgerEvent[]>();
      for (const event of await log.listed()) {
        const events = bySession.get(String(event.session));
        if (events === undefined) bySession.set(String(event.session), [event]);
        else events.push(event);
      }
      const shown = [...bySession].flatMap(([session, events]) => {
        const found = rebuildSession(session, events);
        return found === undefined ? [] : [shownSession(found)];
      });
      const wanted = shown.filter((session) => state === undefined || session.state === state);
      return wanted.sort((one, other) => (one.updated < other.updated ? 1 : -1)).slice(0, limit);
    },
    get: async (session) => {
      const found = await rebuilt(session);
      const steppedEntries = found.entries.filter((entry) => 'step' in entry);
      const steps = await Promise.all(
        steppedEntries.map(async ({ step, content, inputs }) => {
          const message = await log.whole(content);
          const made = callsIn(message, await log.whole(inputs)).map(({ call, tool, input }) => {
            const result = found.results.get(call);
            const state = result === undefined ? 'open' : result.went === 'ok' ? 'ok' : 'failed';
            return { call, tool, args: input, state: state as 'ok' | 'failed' | 'open' };
          });
          return { step, text: textIn(message), calls: made };
        }),
      );
      return { ...shownSession(found), steps };
    },
    close: async (session) => {
      const found = await rebuilt(session);
      const { state } = shownSession(found);
      if (state === 'closed') return;
      if (state === 'running') {
        throw new ValidationError(`The session "${session}" is running. Stop it first.`, {
          details: { field: 'session' },
        });
      }
      await log.append(session, BY_CLOSING, { what: 'agent close' });
    },
    recording: (session) => recorded(log, () => rebuilt(session)),
  };
}

async function* recorded(
  log: SessionLog,
  find: () => Promise<RecordedSession>,
): AsyncGenerator<string, void, undefined> {
  const { entries, session, model } = await find();
  yield JSON.stringify({ recording: 1, session, model });
  for (const entry of entries) {
    if (!('step' in entry)) {
      yield JSON.stringify({ task: entry.task });
      continue;
    }
    const { content, inputs, usage, finish } = entry;
    yield JSON.stringify({ content: withInputs(await log.whole(content), await log.whole(inputs)), usage, finish });
  }
}
