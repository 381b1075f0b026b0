import { resolve as absolute } from 'node:path';
import { LedgerError, NotFoundError, ValidationError } from '../boundary/errors.js';
import { THREAD_STATE } from '../kernel/process_identity.js';
import { callsIn, foldSession, textIn } from '../kernel/session_fold.js';
import { SESSION_LOG } from '../kernel/session_log.js';
import { MemoryLog } from './memory_log.js';
import { contentOf, readBack, recorded } from './reasoning_parts.js';
import { busy, SessionLease } from './session_lease.js';

/**
 * @typedef {import('../kernel/session_fold.js').FoldedSession} FoldedSession
 * @typedef {import('../kernel/session_fold.js').FoldedCall} FoldedCall
 * @typedef {import('../kernel/session_fold.js').Usage} Usage
 * @typedef {import('./reasoning_parts.js').KeptPart} KeptPart
 * @typedef {FoldedCall & { step: number }} Call
 * @typedef {{ ok: boolean, output: any, code?: string, error?: string, path?: string, isNew?: true, ms: number }} Outcome of a call
 * @typedef {{ user: string } | { step: number, text: string, calls: Call[], kept: KeptPart[], usage: Usage, finish: string }} Entry a task or a turn
 */

/** The ledger's replacement for a masked name. */
const HIDDEN = '[hidden]';

/** Open sessions of this thread, each with its root. */
const { working } = THREAD_STATE;

/** The conversation of a session. Every entry is recorded in the log before it takes effect. */
export class Conversation {
  session;
  #kernel;
  #log;
  #actor;
  /** @type {Entry[]} */
  entries = [];
  /** Outcomes by call. @type {Map<string, Outcome>} */
  #outcomes = new Map();
  /** @type {Map<string, Call>} by the provider's call id */
  #byId = new Map();
  /** Ledger positions of started calls. @type {Map<string, number>} */
  #begun = new Map();
  /** The key of the session among the open sessions of this thread. */
  #place = '';
  /** The model of this run. */
  #model = '';
  /** The lease of this run on the session. @type {SessionLease | undefined} */
  #lease;
  calls = 0;
  steps = 0;
  /** Duration of earlier runs of the task, in milliseconds. */
  msBefore = 0;
  /** @type {FoldedSession['end']} */
  end;
  task = '';

  /**
   * @param {any} kernel
   * @param {string} session
   * @param {string} agent
   */
  constructor(kernel, session, agent) {
    this.session = session;
    /** @type {import('../kernel/session_log.js').SessionLog | MemoryLog} */
    this.#log = kernel.sessions[SESSION_LOG];
    this.#actor = { agent: 'agent', id: agent };
    this.#kernel = kernel;
  }

  /**
   * Opens the session exclusively.
   * @param {{ task?: string, resume: boolean, model: string, mode?: string }} options
   */
  async open({ task, resume, model, mode }) {
    // Reading events boots the kernel, which then knows its root.
    const events = await this.#events(resume);
    const place = `${absolute(this.#kernel.config.rootDir)}\n${this.session}`;
    if (working.has(place)) throw busy(this.session, 'by this process');
    working.add(place);
    this.#place = place;
    this.#model = model;
    try {
      const session = await this.#recorded(foldSession(this.session, events), resume);
      if (session === undefined && resume) throw unknown(this.session);
      if (session?.isClosed) throw closed(this.session);
      const append = (/** @type {string} */ what, /** @type {Record<string, any>} */ body) => this.#append(what, body);
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

  /**
   * The recorded session after all pending events are stored, also those of a killed process.
   * @param {FoldedSession | undefined} session
   * @param {boolean} resume
   */
  async #recorded(session, resume) {
    if (session === undefined && !resume) return session;
    await this.#log.settled();
    return foldSession(this.session, await this.#log.events(this.session));
  }

  /** @param {boolean} resume */
  async #events(resume) {
    try {
      return await this.#log.events(this.session);
    } catch (error) {
      if (!(error instanceof LedgerError) || resume) throw error;
      // Without a ledger, the session exists only during the run.
      this.#log = new MemoryLog();
      return [];
    }
  }

  /** @param {string} task */
  #addTask(task) {
    this.entries.push({ user: task });
    this.task = task;
    this.end = undefined;
    this.msBefore = 0;
  }

  /** @param {FoldedSession} session */
  async #read(session) {
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
      this.#outcomes.set(call, { ok: event.went === 'ok', ms: 0, ...outcome });
    }
  }

  /**
   * Registers a call under an id that is unique in the session.
   * @param {Call} call
   */
  #named(call) {
    const { id } = call;
    const isTaken = id === '' || id === HIDDEN || this.#byId.has(id);
    const named = isTaken ? { ...call, id: `${id === HIDDEN ? '' : id}${call.call}` } : call;
    this.#byId.set(named.id, named);
    this.calls = Math.max(this.calls, Number(named.call.slice(1)) || 0);
    return named;
  }

  /**
   * Records a turn of the model.
   * @param {Pick<import('./turn_reader.js').Turn, 'text' | 'calls' | 'kept' | 'usage' | 'finish'>} turn
   * @returns {Promise<Call[]>}
   */
  async turn({ text, calls, kept, usage, finish }) {
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

  /** @param {string} id the provider's id of a call */
  callOf(id) {
    return this.#byId.get(id);
  }

  /**
   * The previous call of the same turn.
   * @param {Call} call
   */
  callBefore({ call, step }) {
    const turn = this.entries.find((entry) => 'step' in entry && entry.step === step);
    const calls = turn !== undefined && 'step' in turn ? turn.calls : [];
    return calls[calls.findIndex((one) => one.call === call) - 1];
  }

  /** @param {string} call */
  outcomeOf(call) {
    return this.#outcomes.get(call);
  }

  /** @param {string} call */
  positionOf(call) {
    return this.#begun.get(call);
  }

  /**
   * Records that a call is about to be made.
   * @param {Call} call
   */
  async begin({ call, id, step, tool }) {
    await this.#lease?.check();
    await this.#append('agent call', { made: call, key: `${this.session}/${step}/${id}`, asked: tool });
  }

  /**
   * Records the outcome of a call.
   * @param {Call} call
   * @param {Outcome} outcome
   */
  async finish({ call, tool }, outcome) {
    await this.#append('agent result', { made: call, asked: tool, went: outcome.ok ? 'ok' : 'failed', outcome });
    this.#outcomes.set(call, outcome);
  }

  /**
   * Events of this session after a ledger position.
   * @param {number} after
   */
  async events(after) {
    return this.#log.events(this.session, after);
  }

  /** @param {any} value of an event */
  async whole(value) {
    return this.#log.whole(value);
  }

  /**
   * Ends the run. The session can be resumed later.
   * @param {Record<string, any>} result
   */
  async close(result) {
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

  /**
   * The conversation as messages of the AI SDK.
   * @returns {any[]}
   */
  messages() {
    // Reasoning is sent for the current task only: providers ignore or reject that of earlier tasks.
    const task = this.entries.findLastIndex((entry) => 'user' in entry);
    return this.entries.flatMap((entry, at) =>
      this.#messagesOf('user' in entry || at > task ? entry : { ...entry, kept: [] }),
    );
  }

  /**
   * @param {Entry} entry
   * @returns {any[]}
   */
  #messagesOf(entry) {
    if ('user' in entry) return [{ role: 'user', content: entry.user }];
    const { text, calls } = entry;
    if (text === '' && calls.length === 0) return [];
    const content = contentOf(entry);
    const results = calls.map(({ id, tool, call }) => ({
      type: 'tool-result',
      toolCallId: id,
      toolName: tool,
      output: modelOutput(this.#outcomes.get(call)),
    }));
    return [{ role: 'assistant', content }, ...(results.length > 0 ? [{ role: 'tool', content: results }] : [])];
  }

  /**
   * @param {string} what
   * @param {Record<string, any>} body
   */
  async #append(what, body) {
    await this.#log.append(this.session, this.#actor, { what, ...body });
  }
}

/** @param {Outcome | undefined} outcome */
function modelOutput(outcome) {
  if (outcome === undefined) return { type: 'error-text', value: 'The call was not made.' };
  const { ok, output, error } = outcome;
  if (!ok && error !== undefined && output === undefined) return { type: 'error-text', value: error };
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
}

/** @param {string} session */
function closed(session) {
  return new ValidationError(`The session "${session}" is closed. Start a new session.`, {
    details: { field: 'session' },
  });
}

/** @param {string} session */
function unknown(session) {
  return new NotFoundError(
    `There is no session "${session}" to resume. kernel.sessions.list() and "tgp sessions" list all sessions.`,
  );
}
