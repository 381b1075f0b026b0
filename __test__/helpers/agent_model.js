/** A model that follows a script. Like a real one, it sees only its prompt. */

import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test';

/**
 * @typedef {{ tool: string, input: unknown, id?: string }} Call `input` as data, or as the text that the model would send
 * @typedef {object} Move
 * @property {string} [text]
 * @property {Call[]} [calls]
 * @property {string} [finish]
 * @property {{ input?: number, output?: number, cached?: number }} [usage]
 * @property {unknown} [fail] the request fails with it
 * @property {'after-text' | 'after-calls'} [cut] the answer ends there
 * @property {unknown} [breaks] an error in the stream, after the text
 *
 * @typedef {{ id: string, tool: string, output: any }} Seen a tool result in the prompt
 * @typedef {{ seen: Seen[], prompt: any[], tools: any[], turn: number, signal?: AbortSignal }} Sent
 * @typedef {(sent: Sent) => Move | Promise<Move>} Decide
 */

/**
 * @param {Decide | Move[]} script
 * @param {{ modelId?: string }} [options]
 */
export function agentModel(script, { modelId = 'scripted' } = {}) {
  const decide =
    typeof script === 'function' ? script : (/** @type {Sent} */ { turn }) => script[turn] ?? { text: 'done' };
  let turn = -1;
  return new MockLanguageModelV3({
    modelId,
    doStream: async ({ prompt, tools, abortSignal }) => {
      turn += 1;
      const sent = { seen: seenIn(prompt), prompt, tools: tools ?? [], turn, signal: abortSignal };
      const move = await decide(sent);
      if (move.fail !== undefined) throw move.fail;
      return { stream: convertArrayToReadableStream(partsOf(move, turn)) };
    },
  });
}

/**
 * @param {any[]} prompt
 * @returns {Seen[]}
 */
export function seenIn(prompt) {
  return prompt
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content)
    .map(({ toolCallId, toolName, output }) => ({ id: toolCallId, tool: toolName, output: output.value }));
}

/**
 * @param {Move} move
 * @param {number} turn
 * @returns {any[]}
 */
function partsOf({ text, calls = [], finish, usage = {}, cut, breaks }, turn) {
  const { input = 0, output = 0, cached = 0 } = usage;
  const deltas = text === undefined ? [] : [...text].map((delta) => ({ type: 'text-delta', id: 't', delta }));
  const toolCalls = calls.map(({ tool, input: given, id }, at) => ({
    type: 'tool-call',
    toolCallId: id ?? `call_${turn}_${at}`,
    toolName: tool,
    input: typeof given === 'string' ? given : JSON.stringify(given),
  }));
  /** @type {any[]} */
  const parts = [
    { type: 'stream-start', warnings: [] },
    ...(text === undefined ? [] : [{ type: 'text-start', id: 't' }, ...deltas]),
  ];
  if (cut === 'after-text') return parts;
  if (breaks !== undefined) return [...parts, { type: 'error', error: breaks }];
  parts.push(...(text === undefined ? [] : [{ type: 'text-end', id: 't' }]), ...toolCalls);
  if (cut === 'after-calls') return parts;
  const unified = finish ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  return [
    ...parts,
    {
      type: 'finish',
      finishReason: { unified, raw: undefined },
      usage: {
        inputTokens: { total: input, noCache: input - cached, cacheRead: cached, cacheWrite: undefined },
        outputTokens: { total: output, text: output, reasoning: undefined },
      },
    },
  ];
}

/**
 * Every event of a run.
 * @param {import('../../index.js').AgentRun} run
 * @param {(event: import('../../index.js').AgentEvent) => unknown} [onEvent] is waited for
 */
export async function eventsOf(run, onEvent = () => {}) {
  /** @type {any[]} */
  const events = [];
  for await (const event of run) {
    events.push(event);
    await onEvent(event);
  }
  return events;
}
