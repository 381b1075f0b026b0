import { resolve as absolute } from 'node:path';
import { LedgerError, NotFoundError, ValidationError } from '../boundary/errors.js';
import { REALM } from '../kernel/process_identity.js';
import { callsIn, foldSession, textIn } from '../kernel/session_fold.js';
import { SESSION_LOG } from '../kernel/session_log.js';
import { contentOf, readBack, recorded } from './kept_parts.js';
import { MemoryLog } from './memory_log.js';
import { busy, SessionLease } from './session_lease.js';

/**
 * @typedef {import('../kernel/session_fold.js').FoldedSession} FoldedSession
 * @typedef {import('../kernel/session_fold.js').FoldedCall} FoldedCall
 * @typedef {import('../kernel/session_fold.js').Usage} Usage
 * @typedef {import('./kept_parts.js').KeptPart} KeptPart
 * @typedef {FoldedCall & { step: number }} Call
 * @typedef {{ ok: boolean, output: any, code?: string, error?: string, path?: string, isNew?: true, ms: number }} Outcome of a call
 * @typedef {{ user: string } | { step: number, text: string, calls: Call[], kept: KeptPart[], usage: Usage, finish: string }} Said
 */

/** What stands in the place of a name that the ledger has hidden. */
const HIDDEN = '[hidden]';

/** Sessions that this thread works on, with the root of each. */
const { working } = REALM;

/** What was said and done in a session. All of it is in the log before anything is done because of it. */
export class Conversation {
  session;
  #kernel;
  #log;
  #actor;
  /** @type {Said[]} */
  said = [];
  /** What a call gave, or the event that has it. @type {Map<string, Outcome>} */
  #outcomes = new Map();
  /** @type {Map<string, Call>} by the provider's name */
  #byId = new Map();
  /** Positions of intents. @type {Map<string, number>} */
  #begun = new Map();
  /** What the session is among those that this process works on. */
  #place = '';
  /** Who goes on with it. */
  #model = '';
  /** That it was taken up by this run. @type {SessionLease | undefined} */
  #lease;
  calls = 0;
  steps = 0;
  /** What the runs of the task have taken that ended. */
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
   * Takes up the session, which no other process may work on.
   * @param {{ task?: string, resume: boolean, model: string, mode?: string }} given
   */
  async open({ task, resume, model, mode }) {
    // The first look boots the kernel, which then knows where its root is.
    const events = await this.#events(resume);
    const place = `${absolute(this.#kernel.config.rootDir)}\n${this.session}`;
    if (working.has(place)) throw busy(this.session, 'by this process');
    working.add(place);
    this.#place = place;
    this.#model = model;
    try {
      const known = await this.#recorded(foldSession(this.session, events), resume);
      if (known === undefined && resume) throw unknown(this.session);
      if (known?.isClosed) throw closed(this.session);
      const append = (/** @type {string} */ what, /** @type {Record<string, any>} */ body) => this.#append(what, body);
      this.#lease = new SessionLease(this.session, this.#log, append, this.#kernel.logger);
      await this.#lease.begin(known);
      if (known !== undefined) await this.#read(known);
      if (task !== undefined) this.#ask(task);
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
   * What is on record, all of it: of a process that was killed too.
   * @param {FoldedSession | undefined} known
   * @param {boolean} resume
   */
  async #recorded(known, resume) {
    if (known === undefined && !resume) return known;
    await this.#log.settled();
    return foldSession(this.session, await this.#log.events(this.session));
  }

  /** @param {boolean} resume */
  async #events(resume) {
    try {
      return await this.#log.events(this.session);
    } catch (error) {
      if (!(error instanceof LedgerError) || resume) throw error;
      // Nothing is recorded here: the session ends with the run.
      this.#log = new MemoryLog();
      return [];
    }
  }

  /** @param {string} task */
  #ask(task) {
    this.said.push({ user: task });
    this.task = task;
    this.end = undefined;
    this.msBefore = 0;
  }

  /** @param {FoldedSession} known */
  async #read(known) {
    this.#begun = known.begun;
    this.end = known.end;
    this.msBefore = known.ms;
    this.task = known.task;
    for (const entry of known.entries) {
      if (!('step' in entry)) {
        this.said.push({ user: entry.task });
        continue;
      }
      const content = await this.#log.whole(entry.content);
      const inputs = await this.#log.whole(entry.inputs);
      const calls = callsIn(content, inputs).map((call) => this.#known({ ...call, step: entry.step }));
      const { step, usage, finish } = entry;
      const kept = readBack(await this.#log.whole(entry.kept), this.#model);
      this.said.push({ step, text: textIn(content), calls, kept, usage, finish });
      this.steps = step;
    }
    for (const [call, event] of known.results) {
      const outcome = await this.#log.whole(event.outcome);
      this.#outcomes.set(call, { ok: event.went === 'ok', ms: 0, ...outcome });
    }
  }

  /**
   * A call with a name that no other of the session has.
   * @param {Call} call
   */
  #known(call) {
    const { id } = call;
    const isTaken = id === '' || id === HIDDEN || this.#byId.has(id);
    const named = isTaken ? { ...call, id: `${id === HIDDEN ? '' : id}${call.call}` } : call;
    this.#byId.set(named.id, named);
    this.calls = Math.max(this.calls, Number(named.call.slice(1)) || 0);
    return named;
  }

  /**
   * Writes down a turn of the model.
   * @param {Pick<import('./turn_reader.js').Turn, 'text' | 'calls' | 'kept' | 'usage' | 'finish'>} turn
   * @returns {Promise<Call[]>}
   */
  async turn({ text, calls, kept, usage, finish }) {
    await this.#lease?.check();
    const step = this.steps + 1;
    const made = calls.map(({ part: _, ...call }) => this.#known({ ...call, call: `c${this.calls + 1}`, step }));
    const content = [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...made.map(({ call, id, tool, sha }) => ({ type: 'tool-call', call, id, tool, sha })),
    ];
    // Beside, so that large ones leave the rest where it is.
    const inputs = Object.fromEntries(made.map(({ call, input }) => [call, input]));
    await this.#append('agent turn', { step, content, inputs, usage, finish, kept: recorded(kept, this.#model) });
    this.steps = step;
    this.said.push({ step, text, calls: made, kept, usage, finish });
    return made;
  }

  /** @param {string} id the provider's name for a call */
  callOf(id) {
    return this.#byId.get(id);
  }

  /**
   * The call that the model asked for before this one, in the same turn.
   * @param {Call} call
   */
  callBefore({ call, step }) {
    const turn = this.said.find((said) => 'step' in said && said.step === step);
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
   * Writes down that a call is about to be made.
   * @param {Call} call
   */
  async begin({ call, id, step, tool }) {
    await this.#lease?.check();
    await this.#append('agent call', { made: call, key: `${this.session}/${step}/${id}`, asked: tool });
  }

  /**
   * Writes down what came of a call.
   * @param {Call} call
   * @param {Outcome} outcome
   */
  async finish({ call, tool }, outcome) {
    await this.#append('agent result', { made: call, asked: tool, went: outcome.ok ? 'ok' : 'failed', outcome });
    this.#outcomes.set(call, outcome);
  }

  /**
   * What else is on record of this session, after a position.
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
   * Ends the run; the session can be taken up again.
   * @param {Record<string, any>} result
   */
  async close(result) {
    try {
      await this.#append('agent end', { ...result, take: this.#lease?.take });
    } finally {
      this.#release();
    }
  }

  /** What the model said last, where it asked for no call: there is nothing to go on with. */
  get answer() {
    const last = this.said.at(-1);
    return last !== undefined && 'step' in last && last.calls.length === 0 ? last : undefined;
  }

  /** Calls that the model asked for and that have no result. */
  get openCalls() {
    const asked = this.said.flatMap((said) => ('step' in said ? said.calls : []));
    return asked.filter(({ call }) => !this.#outcomes.has(call));
  }

  /**
   * The conversation as the AI SDK takes it.
   * @returns {any[]}
   */
  messages() {
    // Reasoning is for the task that goes on; providers leave that of others aside, or have forgotten it.
    const task = this.said.findLastIndex((said) => 'user' in said);
    return this.said.flatMap((said, at) =>
      this.#messagesOf('user' in said || at > task ? said : { ...said, kept: [] }),
    );
  }

  /**
   * @param {Said} said
   * @returns {any[]}
   */
  #messagesOf(said) {
    if ('user' in said) return [{ role: 'user', content: said.user }];
    const { text, calls } = said;
    if (text === '' && calls.length === 0) return [];
    const content = contentOf(said);
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
  if (outcome === undefined) return { type: 'error-text', value: 'It was not made.' };
  const { ok, output, error } = outcome;
  if (!ok && error !== undefined && output === undefined) return { type: 'error-text', value: error };
  return typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };
}

/** @param {string} session */
function closed(session) {
  return new ValidationError(`The session "${session}" is closed. Begin another one.`, {
    details: { field: 'session' },
  });
}

/** @param {string} session */
function unknown(session) {
  return new NotFoundError(
    `There is no session "${session}" to resume. kernel.sessions.list() and "tgp sessions" name those that there are.`,
  );
}
