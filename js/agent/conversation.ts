/** The conversation of an agent session: turns, calls and their outcomes, recorded in the ledger so that a session can resume. */

import { resolve as absolute } from 'node:path';
import type { JSONValue } from '@ai-sdk/provider';
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai';
import { InternalError, LedgerError, NotFoundError, ValidationError } from '../boundary/errors.js';
import { isRecord } from '../boundary/foreign_json.js';
import { THREAD_STATE } from '../kernel/sessions/process_identity.js';
import type { RecordedCall, RecordedSession, Usage } from '../kernel/sessions/recorded_session.js';
import { callsIn, rebuildSession, textIn } from '../kernel/sessions/recorded_session.js';
import type { SessionLog } from '../kernel/sessions/session_log.js';
import { SESSION_LOG } from '../kernel/sessions/session_log.js';
import type { TGP } from '../kernel/tgp.js';
import type { KernelSessions } from '../types/agent.js';
import { MemoryLog } from './memory_log.js';
import type { KeptPart } from './reasoning_parts.js';
import { contentOf, readBack, recorded } from './reasoning_parts.js';
import { busy, SessionLease } from './session_lease.js';
import type { Turn } from './turn_reader.js';

/** A call of the model, and the step that it belongs to. */
export type Call = RecordedCall & { step: number };
/** What the model reads of a call, and what the ledger has of it. */
export type CallOutcome = {
  ok: boolean;
  output: JSONValue | undefined;
  code?: string;
  error?: string;
  path?: string;
  isNew?: true;
  ms: number;
};
/** A task or a turn. */
type Entry =
  | { user: string }
  | { step: number; text: string; calls: Call[]; kept: KeptPart[]; usage: Usage; finish: string };
type ToolOutput = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>['output'];

/** The ledger's replacement for a masked name. */
const HIDDEN = '[hidden]';

/** Open sessions of this thread, each with its root. */
const { working } = THREAD_STATE;

/** The conversation of a session. Every entry is recorded in the log before it takes effect. */
export class Conversation {
  session;
  #kernel;
  #log: SessionLog | MemoryLog;
  #actor;
  entries: Entry[] = [];
  /** Outcomes by call. */
  #outcomes = new Map<string, CallOutcome>();
  /** Calls by the provider's id. */
  #byId = new Map<string, Call>();
  /** Ledger positions of started calls. */
  #begun = new Map<string, number>();
  /** The key of the session among the open sessions of this thread. */
  #place = '';
  /** The model of this run. */
  #model = '';
  /** The lease of this run on the session. */
  #lease: SessionLease | undefined;
  calls = 0;
  steps = 0;
  /** Duration of earlier runs of the task, in milliseconds. */
  msBefore = 0;
  end: RecordedSession['end'];
  task = '';

  constructor(kernel: TGP, session: string, agent: string) {
    this.session = session;
    this.#log = logOf(kernel.sessions);
    this.#actor = { agent: 'agent', id: agent };
    this.#kernel = kernel;
  }

  /** Opens the session exclusively. */
  async open({ task, resume, model, mode }: { task?: string; resume: boolean; model: string; mode?: string }) {
    // Reading events boots the kernel, which then knows its root.
    const events = await this.#events(resume);
    const place = `${absolute(this.#kernel.config.rootDir)}\n${this.session}`;
    if (working.has(place)) throw busy(this.session, 'by this process');
    working.add(place);
    this.#place = place;
    this.#model = model;
    try {
      const session = await this.#recorded(rebuildSession(this.session, events), resume);
      if (session === undefined && resume) throw unknown(this.session);
      if (session?.isClosed) throw closed(this.session);
      const append = (what: string, body: Record<string, unknown>) => this.#append(what, body);
      this.#lease = new SessionLease(this.session, this.#log, append, this.#kernel.logger);
      await this.#lease.begin(session);
      if (session !== undefined) await this.#read(session);
      if (task !== undefined) this.#addTask(task);
      const { take } = this.#lease;
      await this.#append('agent task', { ...(task !== undefined && { task }), model, mode, take });
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  #release() {
    this.#lease?.end();
    working.delete(this.#place);
  }

  /** The recorded session after all pending events are stored, also those of a killed process. */
  async #recorded(session: RecordedSession | undefined, resume: boolean) {
    if (session === undefined && !resume) return session;
    await this.#log.settled();
    return rebuildSession(this.session, await this.#log.events(this.session));
  }

  async #events(resume: boolean) {
    try {
      return await this.#log.events(this.session);
    } catch (error) {
      if (!(error instanceof LedgerError) || resume) throw error;
      // Without a ledger, the session exists only during the run.
      this.#log = new MemoryLog();
      return [];
    }
  }

  #addTask(task: string) {
    this.entries.push({ user: task });
    this.task = task;
    this.end = undefined;
    this.msBefore = 0;
  }

  async #read(session: RecordedSession) {
    this.#begun = session.begun;
    this.end = session.end;
    this.msBefore = session.ms;
    this.task = session.task;
    for (const entry of session.entries) {
      if (!('step' in entry)) {
        this.entries.push({ user: entry.task });
        continue;
      }
      const content = await this.#log.whole(entry.content);
      const inputs = await this.#log.whole(entry.inputs);
      const calls = callsIn(content, inputs).map((call) => this.#named({ ...call, step: entry.step }));
      const { step, usage, finish } = entry;
      const kept = readBack(await this.#log.whole(entry.kept), this.#model);
      this.entries.push({ step, text: textIn(content), calls, kept, usage, finish });
      this.steps = step;
    }
    for (const [call, event] of session.results) {
      const outcome = await this.#log.whole(event.outcome);
      const known = { ok: event.went === 'ok', ms: 0, ...(isRecord(outcome) && outcome) };
      // The log has what this class recorded.
      this.#outcomes.set(call, known as CallOutcome);
    }
  }

  /** Registers a call under an id that is unique in the session. */
  #named(call: Call) {
    const { id } = call;
    const isTaken = id === '' || id === HIDDEN || this.#byId.has(id);
    const named = isTaken ? { ...call, id: `${id === HIDDEN ? '' : id}${call.call}` } : call;
    this.#byId.set(named.id, named);
    this.calls = Math.max(this.calls, Number(named.call.slice(1)) || 0);
    return named;
  }

  /** Records a turn of the model. */
  async turn({
    text,
    calls,
    kept,
    usage,
    finish,
  }: Pick<Turn, 'text' | 'calls' | 'kept' | 'usage' | 'finish'>): Promise<Call[]> {
    await this.#lease?.check();
    const step = this.steps + 1;
    const named = calls.map(({ part: _, ...call }) => this.#named({ ...call, call: `c${this.calls + 1}`, step }));
    const content = [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...named.map(({ call, id, tool, sha }) => ({ type: 'tool-call', call, id, tool, sha })),
    ];
    // A separate member, so that large inputs do not move the rest of the event to a blob.
    const inputs = Object.fromEntries(named.map(({ call, input }) => [call, input]));
    await this.#append('agent turn', { step, content, inputs, usage, finish, kept: recorded(kept, this.#model) });
    this.steps = step;
    this.entries.push({ step, text, calls: named, kept, usage, finish });
    return named;
  }

  /** @param id the provider's id of a call */
  callOf(id: string) {
    return this.#byId.get(id);
  }

  /** The previous call of the same turn. */
  callBefore({ call, step }: Call) {
    const turn = this.entries.find((entry) => 'step' in entry && entry.step === step);
    const calls = turn !== undefined && 'step' in turn ? turn.calls : [];
    return calls[calls.findIndex((one) => one.call === call) - 1];
  }

  outcomeOf(call: string) {
    return this.#outcomes.get(call);
  }

  positionOf(call: string) {
    return this.#begun.get(call);
  }

  /** Records that a call is about to be made. */
  async begin({ call, id, step, tool }: Call) {
    await this.#lease?.check();
    await this.#append('agent call', { made: call, key: `${this.session}/${step}/${id}`, asked: tool });
  }

  /** Records the outcome of a call. */
  async finish({ call, tool }: Call, outcome: CallOutcome) {
    await this.#append('agent result', { made: call, asked: tool, went: outcome.ok ? 'ok' : 'failed', outcome });
    this.#outcomes.set(call, outcome);
  }

  /** Events of this session after a ledger position. */
  async events(after: number) {
    return this.#log.events(this.session, after);
  }

  /** @param value of an event */
  async whole(value: unknown) {
    return this.#log.whole(value);
  }

  /** Ends the run. The session can be resumed later. */
  async close(result: Record<string, unknown>) {
    try {
      await this.#append('agent end', { ...result, take: this.#lease?.take });
    } finally {
      this.#release();
    }
  }

  /** The final answer: the last turn, if it has no calls. */
  get answer() {
    const last = this.entries.at(-1);
    return last !== undefined && 'step' in last && last.calls.length === 0 ? last : undefined;
  }

  /** Calls without a result. */
  get openCalls() {
    const calls = this.entries.flatMap((entry) => ('step' in entry ? entry.calls : []));
    return calls.filter(({ call }) => !this.#outcomes.has(call));
  }

  /** The conversation as messages of the AI SDK. */
  messages(): ModelMessage[] {
    // Reasoning is sent for the current task only: providers ignore or reject that of earlier tasks.
    const task = this.entries.findLastIndex((entry) => 'user' in entry);
    return this.entries.flatMap((entry, at) =>
      this.#messagesOf('user' in entry || at > task ? entry : { ...entry, kept: [] }),
    );
  }

  #messagesOf(entry: Entry): ModelMessage[] {
    if ('user' in entry) return [{ role: 'user', content: entry.user }];
    const { text, calls } = entry;
    if (text === '' && calls.length === 0) return [];
    const message: AssistantModelMessage = { role: 'assistant', content: contentOf(entry) };
    const results = calls.map(({ id, tool, call }) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: tool,
      output: modelOutput(this.#outcomes.get(call)),
    }));
    return results.length > 0 ? [message, { role: 'tool', content: results }] : [message];
  }

  async #append(what: string, body: Record<string, unknown>) {
    await this.#log.append(this.session, this.#actor, { what, ...body });
  }
}

/** The log of a kernel's sessions, which their public type does not have. */
function logOf(sessions: KernelSessions & { [SESSION_LOG]?: SessionLog }) {
  const log = sessions[SESSION_LOG];
  if (log === undefined) throw new InternalError('The sessions of the kernel have no log.');
  return log;
}

function modelOutput(outcome: CallOutcome | undefined): ToolOutput {
  if (outcome === undefined) return { type: 'error-text', value: 'The call was not made.' };
  const { ok, output, error } = outcome;
  if (!ok && error !== undefined && output === undefined) return { type: 'error-text', value: error };
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
}

function closed(session: string) {
  return new ValidationError(`The session "${session}" is closed. Start a new session.`, {
    details: { field: 'session' },
  });
}

function unknown(session: string) {
  return new NotFoundError(
    `There is no session "${session}" to resume. kernel.sessions.list() and "tgp sessions" list all sessions.`,
  );
}
