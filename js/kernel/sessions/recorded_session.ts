/** Reconstructs the state of an agent session from its ledger events. */

import { isRecord } from '../../boundary/foreign_json.js';
import type { AgentSession } from '../../types/agent.js';
import type { LedgerEvent } from '../../types/ledger.js';
import { isAlive } from './process_identity.js';

/** Maximum length of an agent's last message. */
const MAX_SHOWN_CHARS = 4_000;

/** The tokens of one turn. */
export type Usage = { input: number; output: number; cached: number };
/** A call of the model. */
export type RecordedCall = {
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
/** A step of the model: its message and calls. */
export type RecordedStep = {
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
type Entry = { task: string } | RecordedStep;
/** A session, as its events describe it. */
export type RecordedSession = {
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
export function rebuildSession(session: string, events: LedgerEvent[]): RecordedSession | undefined {
  const rebuilt: RecordedSession = {
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
  for (const event of events) if (event.type === 'SESSION') applyEvent(rebuilt, event);
  return rebuilt.started === '' ? undefined : rebuilt;
}

function applyEvent(rebuilt: RecordedSession, event: LedgerEvent) {
  switch (event.what) {
    case 'agent take':
      rebuilt.takes.set(String(event.take), { mark: event.mark, seen: Date.parse(event.ts) });
      break;
    case 'agent beat': {
      const taken = rebuilt.takes.get(String(event.take));
      if (taken !== undefined) taken.seen = Date.parse(event.ts);
      return;
    }
    case 'agent left':
      rebuilt.takes.delete(String(event.take));
      break;
    case 'agent task':
      if (typeof event.task === 'string') {
        rebuilt.entries.push({ task: event.task });
        rebuilt.task = event.task;
        rebuilt.ms = 0;
      }
      rebuilt.model = String(event.model ?? rebuilt.model);
      rebuilt.started ||= event.ts;
      rebuilt.end = undefined;
      rebuilt.owner = event.take;
      break;
    case 'agent turn':
      rebuilt.entries.push({
        step: Number(event.step),
        content: event.content,
        inputs: event.inputs,
        kept: event.kept,
        usage: event.usage ?? { input: 0, output: 0, cached: 0 },
        finish: String(event.finish ?? ''),
      });
      break;
    case 'agent call':
      rebuilt.begun.set(String(event.made), event.seq);
      break;
    case 'agent result':
      if (!rebuilt.results.has(String(event.made))) rebuilt.results.set(String(event.made), event);
      break;
    case 'agent end':
      rebuilt.takes.delete(String(event.take));
      // A run whose session another process has taken over does not end it.
      if (rebuilt.owner !== undefined && rebuilt.owner !== event.take) return;
      rebuilt.end = event;
      rebuilt.ms += Number(event.ms ?? 0);
      break;
    case 'agent close':
      rebuilt.isClosed = true;
      break;
    default:
      return;
  }
  rebuilt.updated = event.ts;
  rebuilt.last = event.seq;
}

/** The session as the application sees it. */
export function shownSession(rebuilt: RecordedSession): AgentSession {
  const { session, task, model, started, updated, end } = rebuilt;
  const state = rebuilt.isClosed
    ? 'closed'
    : [...rebuilt.takes.values()].some(({ mark, seen }) => isAlive(mark, seen))
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
export function callsIn(content: unknown, inputs: unknown): RecordedCall[] {
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
