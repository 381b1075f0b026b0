/** Anthropic's streaming protocol: Messages. */

import { createHash } from 'node:crypto';
import { argumentsOf, fragments, scriptedServer, usageOf } from './scripted_server.js';

/**
 * @typedef {import('./scripted_server.js').Turn} Turn
 * @typedef {import('./scripted_server.js').Api} Api
 * @typedef {import('./scripted_server.js').Named} Named
 * @typedef {import('./scripted_server.js').StreamEvent} StreamEvent
 */

/** @type {Record<number, string>} */
const KINDS = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** @type {Api} */
const MESSAGES = {
  path: '/v1/messages',
  keyOf: ({ 'x-api-key': key }) => (Array.isArray(key) ? key[0] : key),
  failure: ({ message = 'Internal server error', status = 500 }) => ({
    type: 'error',
    error: { type: KINDS[status] ?? 'api_error', message },
  }),
  read: ({ messages, system = '', tools = [] }) => ({
    system: textOf(system),
    said: messages
      .filter((/** @type {any} */ { role }) => role === 'user')
      .map((/** @type {any} */ { content }) => textOf(content))
      .filter((/** @type {string} */ text) => text !== ''),
    calls: blocks(messages, 'tool_use').map(({ id, name, input }) => ({ id, name, arguments: JSON.stringify(input) })),
    results: blocks(messages, 'tool_result').map(({ tool_use_id: id, content }) => ({ id, output: textOf(content) })),
    tools: tools.map((/** @type {any} */ { name }) => name),
  }),
  complaint: ({ messages, stream, max_tokens, thinking }) => {
    if (stream !== true) return 'Only streams are spoken here.';
    if (!(max_tokens > 0)) return 'max_tokens: Field required';
    for (const [index, message] of messages.entries()) {
      const answered = blocks(messages.slice(index + 1, index + 2), 'tool_result').map(({ tool_use_id: id }) => id);
      const missing = blocks([message], 'tool_use').find(({ id }) => !answered.includes(id));
      if (missing) {
        return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.id}.`;
      }
    }
    return thinking?.type === 'enabled' ? thoughtComplaint(messages) : undefined;
  },
  *write(turn, named) {
    for (const data of messageEvents(turn, named)) yield { event: data.type, data };
  },
};

/**
 * @param {Turn} turn
 * @param {Named} named
 * @returns {Generator<{ type: string, [key: string]: unknown }>}
 */
function* messageEvents(turn, named) {
  const { think, say, calls = [], refuse, failsWith } = turn;
  const { input, output } = usageOf(turn, named.size);
  yield {
    type: 'message_start',
    message: {
      id: `msg_${named.id}`,
      type: 'message',
      role: 'assistant',
      model: named.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: 1 },
    },
  };
  yield { type: 'ping' };
  let index = 0;
  if (think !== undefined) {
    yield { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } };
    for (const part of fragments(think)) {
      yield { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: part } };
    }
    yield { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: signatureOf(think) } };
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  const text = refuse ?? say;
  if (text !== undefined) {
    yield { type: 'content_block_start', index, content_block: { type: 'text', text: '' } };
    for (const part of fragments(text)) {
      yield { type: 'content_block_delta', index, delta: { type: 'text_delta', text: part } };
    }
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  if (failsWith !== undefined) {
    yield { type: 'error', error: { type: failsWith, message: turn.message ?? 'Overloaded' } };
    return;
  }
  for (const [number, call] of calls.entries()) {
    const content_block = { type: 'tool_use', id: named.callId(call, number), name: call.name, input: {} };
    yield { type: 'content_block_start', index, content_block };
    for (const partial_json of fragments(argumentsOf(call))) {
      yield { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } };
    }
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  const stop_reason = refuse === undefined ? (calls.length > 0 ? 'tool_use' : 'end_turn') : 'refusal';
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: output } };
  yield { type: 'message_stop' };
}

/**
 * Anthropic, on the loopback: `ANTHROPIC_BASE_URL=<url>/v1`.
 * @param {import('./scripted_server.js').Script} script
 * @param {{ key?: string }} [options]
 */
export async function anthropicServer(script, options) {
  return scriptedServer({ script, apis: [MESSAGES], ...options });
}

/**
 * Checks that reasoning before a call is sent back unchanged for the rest of the task.
 * @param {any[]} messages
 */
function thoughtComplaint(messages) {
  const task = messages.findLastIndex(
    ({ role, content }) => role === 'user' && blocks([{ content }], 'text').length > 0,
  );
  for (const [index, message] of messages.entries()) {
    for (const { thinking, signature } of blocks([message], 'thinking')) {
      if (signature !== signatureOf(thinking)) return `messages.${index}: Invalid \`signature\` in \`thinking\` block`;
    }
    const [first] = message.role === 'assistant' && index > task ? message.content : [];
    if (blocks([message], 'tool_use').length > 0 && first !== undefined && first.type !== 'thinking') {
      return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`.`;
    }
  }
  return undefined;
}

/** @param {string} thought */
function signatureOf(thought) {
  return createHash('sha512').update(thought).digest('base64').repeat(4);
}

/** @type {(messages: any[], type: string) => any[]} */
function blocks(messages, type) {
  return messages.flatMap(({ content }) =>
    Array.isArray(content) ? content.filter((/** @type {any} */ block) => block.type === type) : [],
  );
}

/** @param {any} content */
function textOf(content) {
  if (typeof content === 'string') return content;
  return content
    .filter((/** @type {any} */ { type }) => type === 'text')
    .map((/** @type {any} */ { text }) => text)
    .join('');
}
