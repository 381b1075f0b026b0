/** Reconstructs the state of an agent session from its ledger events. */

import { isAlive } from './process_identity.js';

/** Maximum length of an agent's last message. */
const MAX_SHOWN_CHARS = 4_000;

/**
 * @typedef {import('../../index.js').LedgerEvent} LedgerEvent
 * @typedef {{ input: number, output: number, cached: number }} Usage of one turn
 * @typedef {object} FoldedCall
 * @property {string} call its id in the session
 * @property {string} id the provider's id
 * @property {string} tool
 * @property {any} input
 * @property {string} sha hash of the model's arguments, so that masked arguments are never executed
 * @property {number} [begun] position of its intent
 * @property {LedgerEvent} [result]
 *
 * @typedef {object} FoldedStep
 * @property {number} step
 * @property {any} content of the event: the model's message
 * @property {any} inputs of the event: the arguments of its calls
 * @property {any} kept of the event: provider data to send back unchanged
 * @property {Usage} usage
 * @property {string} finish
 *
 * @typedef {{ task: string } | FoldedStep} Entry a task, or a step of the model
 *
 * @typedef {object} FoldedSession
 * @property {string} session
 * @property {Entry[]} entries in their order
 * @property {Map<string, number>} begun positions of intents, by call
 * @property {Map<string, LedgerEvent>} results by call
 * @property {string} task the last task
 * @property {string} model
 * @property {string} started
 * @property {string} updated
 * @property {Map<string, { mark: any, seen: number }>} takes identities of the processes that hold the session, in order,
 *   and the time of each last lease renewal
 * @property {string} [owner] the take of the last run
 * @property {LedgerEvent} [end] of the last run
 * @property {number} last position of its last event
 * @property {number} ms total time of the ended runs of the last task
 * @property {boolean} isClosed
 */

/**
 * @param {string} session
 * @param {LedgerEvent[]} events oldest first
 * @returns {FoldedSession | undefined} undefined when the session does not exist
 */
export function foldSession(session, events) {
  /** @type {FoldedSession} */
  const folded = {
    session,
    entries: [],
    begun: new Map(),
    results: new Map(),
    task: '',
    model: '',
    started: '',
    updated: '',
    takes: new Map(),
    last: 0,
    ms: 0,
    isClosed: false,
  };
  for (const event of events) if (event.type === 'SESSION') foldEvent(folded, event);
  return folded.started === '' ? undefined : folded;
}

/**
 * @param {FoldedSession} folded
 * @param {LedgerEvent} event
 */
function foldEvent(folded, event) {
  switch (event.what) {
    case 'agent take':
      folded.takes.set(String(event.take), { mark: event.mark, seen: Date.parse(event.ts) });
      break;
    case 'agent beat': {
      const taken = folded.takes.get(String(event.take));
      if (taken !== undefined) taken.seen = Date.parse(event.ts);
      return;
    }
    case 'agent left':
      folded.takes.delete(String(event.take));
      break;
    case 'agent task':
      if (typeof event.task === 'string') {
        folded.entries.push({ task: event.task });
        folded.task = event.task;
        folded.ms = 0;
      }
      folded.model = String(event.model ?? folded.model);
      folded.started ||= event.ts;
      folded.end = undefined;
      folded.owner = event.take;
      break;
    case 'agent turn':
      folded.entries.push({
        step: Number(event.step),
        content: event.content,
        inputs: event.inputs,
        kept: event.kept,
        usage: event.usage ?? { input: 0, output: 0, cached: 0 },
        finish: String(event.finish ?? ''),
      });
      break;
    case 'agent call':
      folded.begun.set(String(event.made), event.seq);
      break;
    case 'agent result':
      if (!folded.results.has(String(event.made))) folded.results.set(String(event.made), event);
      break;
    case 'agent end':
      folded.takes.delete(String(event.take));
      // A run whose session another process has taken over does not end it.
      if (folded.owner !== undefined && folded.owner !== event.take) return;
      folded.end = event;
      folded.ms += Number(event.ms ?? 0);
      break;
    case 'agent close':
      folded.isClosed = true;
      break;
    default:
      return;
  }
  folded.updated = event.ts;
  folded.last = event.seq;
}

/**
 * @param {FoldedSession} folded
 * @returns {import('../../index.js').AgentSession}
 */
export function shownSession(folded) {
  const { session, task, model, started, updated, end } = folded;
  const state = folded.isClosed
    ? 'closed'
    : [...folded.takes.values()].some(({ mark, seen }) => isAlive(mark, seen))
      ? 'running'
      : 'open';
  return {
    session,
    state,
    task,
    model,
    started,
    updated,
    ...(end && { outcome: end.outcome, text: shortText(end.text), summary: end.summary }),
  };
}

/**
 * @param {any} text
 * @returns {string | undefined}
 */
function shortText(text) {
  return typeof text === 'string' ? text.slice(0, MAX_SHOWN_CHARS).toWellFormed() : text;
}

/**
 * The tool calls in a model's message.
 * @param {any} content of a turn, whole
 * @param {any} inputs of it, whole
 * @returns {FoldedCall[]}
 */
export function callsIn(content, inputs) {
  return withInputs(content, inputs)
    .filter((part) => part?.type === 'tool-call')
    .map(({ call, id, tool, input, sha }) => ({
      call: String(call),
      id: String(id),
      tool: String(tool),
      input,
      sha: String(sha),
    }));
}

/**
 * A model's message with the arguments of its calls.
 * @param {any} content of a turn, whole
 * @param {any} inputs of it, whole
 * @returns {any[]}
 */
export function withInputs(content, inputs) {
  if (!Array.isArray(content)) return [];
  return content.map((part) => (part?.type === 'tool-call' ? { ...part, input: inputs?.[part.call] } : part));
}

/**
 * The text of a model's message.
 * @param {any} content of a turn, whole
 */
export function textIn(content) {
  if (!Array.isArray(content)) return '';
  const texts = content.filter((part) => part?.type === 'text' && typeof part.text === 'string');
  return texts.map(({ text }) => text).join('');
}
