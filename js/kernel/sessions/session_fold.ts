/** Reconstructs the state of an agent session from its ledger events. */

import { isRecord } from '../../boundary/foreign_json.js';
import type { AgentSession } from '../../types/agent.js';
import type { LedgerEvent } from '../../types/ledger.js';
import { isAlive } from './process_identity.js';

/** Maximum length of an agent's last message. */
const MAX_SHOWN_CHARS = 4_000;

/** The tokens of one turn. */
export type Usage = { input: number; output: number; cached: number };
export type FoldedCall = {
  /** Its id in the session. */
  call: string;
  /** The provider's id. */
  id: string;
  tool: string;
  input: unknown;
  /** Hash of the model's arguments, so that masked arguments are never executed. */
  sha: string;
  /** Position of its intent. */
  begun?: number;
  result?: LedgerEvent;
};
export type FoldedStep = {
  step: number;
  /** Of the event: the model's message. */
  content: unknown;
  /** Of the event: the arguments of its calls. */
  inputs: unknown;
  /** Of the event: provider data to send back unchanged. */
  kept: unknown;
  usage: Usage;
  finish: string;
};
/** A part of a model's message. */
type Part = {
  type?: unknown;
  call?: unknown;
  id?: unknown;
  tool?: unknown;
  input?: unknown;
  sha?: unknown;
  text?: unknown;
};
/** A task, or a step of the model. */
type Entry = { task: string } | FoldedStep;
export type FoldedSession = {
  session: string;
  /** In their order. */
  entries: Entry[];
  /** Positions of intents, by call. */
  begun: Map<string, number>;
  /** By call. */
  results: Map<string, LedgerEvent>;
  /** The last task. */
  task: string;
  model: string;
  started: string;
  updated: string;
  /** Identities of the processes that hold the session, in order, and the time of each last lease renewal. */
  takes: Map<string, { mark: unknown; seen: number }>;
  /** The take of the last run. */
  owner?: string;
  /** Of the last run. */
  end?: LedgerEvent;
  /** Position of its last event. */
  last: number;
  /** Total time of the ended runs of the last task. */
  ms: number;
  isClosed: boolean;
};

/**
 * @param events oldest first
 * @returns undefined when the session does not exist
 */
export function foldSession(session: string, events: LedgerEvent[]): FoldedSession | undefined {
  const folded: FoldedSession = {
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

function foldEvent(folded: FoldedSession, event: LedgerEvent) {
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

export function shownSession(folded: FoldedSession): AgentSession {
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

function shortText(text: string | undefined) {
  return typeof text === 'string' ? text.slice(0, MAX_SHOWN_CHARS).toWellFormed() : text;
}

/**
 * The tool calls in a model's message.
 * @param content of a turn, whole
 * @param inputs of it, whole
 */
export function callsIn(content: unknown, inputs: unknown): FoldedCall[] {
  return withInputs(content, inputs)
    .filter(({ type }) => type === 'tool-call')
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
 * @param content of a turn, whole
 * @param inputs of it, whole
 */
export function withInputs(content: unknown, inputs: unknown): Part[] {
  const given = isRecord(inputs) ? inputs : {};
  return partsOf(content).map((part) =>
    part.type === 'tool-call' ? { ...part, input: given[String(part.call)] } : part,
  );
}

/**
 * The text of a model's message.
 * @param content of a turn, whole
 */
export function textIn(content: unknown) {
  return partsOf(content)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('');
}

function partsOf(content: unknown): Part[] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}
