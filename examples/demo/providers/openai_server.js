/** OpenAI's streaming protocols: Responses, and Chat Completions as used by OpenAI and compatible providers. */

import { argumentsOf, fragments, scriptedServer, usageOf } from './scripted_server.js';

/**
 * @typedef {import('./scripted_server.js').Turn} Turn
 * @typedef {import('./scripted_server.js').Api} Api
 * @typedef {import('./scripted_server.js').Named} Named
 * @typedef {import('./scripted_server.js').StreamEvent} StreamEvent
 */

const CREATED = 1_700_000_000;

/** @type {Pick<Api, 'failure' | 'keyOf'>} */
const COMMON = {
  failure: ({ message = 'The server had an error.', status }) => ({
    error: { message, type: status === 429 ? 'rate_limit_exceeded' : 'server_error', param: null, code: null },
  }),
  keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ''),
};

/**
 * Stores items of answers like OpenAI: when the answer is complete, and not with `store: false`.
 * @returns {Api}
 */
function responsesApi() {
  /** @type {Set<string>} */
  const stored = new Set();
  return {
    ...COMMON,
    path: '/v1/responses',
    read: ({ input, tools = [] }) => ({
      system: textsOf(input, ['system', 'developer']).join('\n'),
      said: textsOf(input, ['user']),
      calls: typed(input, 'function_call').map(({ call_id: id, name, arguments: text }) => ({
        id,
        name,
        arguments: text,
      })),
      results: typed(input, 'function_call_output').map(({ call_id: id, output }) => ({ id, output: String(output) })),
      tools: tools.map((/** @type {any} */ { name }) => name),
    }),
    complaint: ({ input, stream }) => {
      if (stream !== true) return 'Only streams are spoken here.';
      const reference = typed(input, 'item_reference').find(({ id }) => !stored.has(id));
      if (reference) return `Item with id '${reference.id}' not found.`;
      const calls = typed(input, 'function_call').map(({ call_id: id }) => id);
      const outputs = typed(input, 'function_call_output').map(({ call_id: id }) => id);
      return pairing(calls, outputs);
    },
    *write(turn, named, body) {
      let number = 0;
      /** @type {string[]} */
      const items = [];
      for (const { event, data } of responseEvents(turn, named)) {
        const { item } = /** @type {{ item?: { id: string } }} */ (data);
        if (item) items.push(item.id);
        if (event === 'response.completed' && body.store !== false) for (const id of items) stored.add(id);
        yield { event, data: { type: event, sequence_number: number++, .../** @type {object} */ (data) } };
      }
    },
  };
}

/**
 * @param {Turn} turn
 * @param {Named} named
 * @returns {Generator<StreamEvent>}
 */
function* responseEvents(turn, named) {
  const { say, calls = [], refuse, failsWith } = turn;
  const response = { id: `resp_${named.id}`, object: 'response', created_at: CREATED, model: named.model };
  yield { event: 'response.created', data: { response: { ...response, status: 'in_progress', output: [] } } };
  yield { event: 'response.in_progress', data: { response: { ...response, status: 'in_progress', output: [] } } };
  let output_index = 0;
  const message = refuse ?? say;
  if (message !== undefined) {
    const kind = refuse === undefined ? 'output_text' : 'refusal';
    const place = { item_id: `msg_${named.id}`, output_index, content_index: 0 };
    const item = { type: 'message', id: place.item_id, role: 'assistant', status: 'in_progress', content: [] };
    yield { event: 'response.output_item.added', data: { output_index, item } };
    yield { event: 'response.content_part.added', data: { ...place, part: { type: kind, text: '', annotations: [] } } };
    for (const delta of fragments(message)) yield { event: `response.${kind}.delta`, data: { ...place, delta } };
    yield {
      event: `response.${kind}.done`,
      data: { ...place, ...(refuse === undefined ? { text: message } : { refusal: message }) },
    };
    const part =
      refuse === undefined ? { type: kind, text: message, annotations: [] } : { type: kind, refusal: message };
    yield { event: 'response.content_part.done', data: { ...place, part } };
    yield {
      event: 'response.output_item.done',
      data: { output_index, item: { ...item, status: 'completed', content: [part] } },
    };
    output_index += 1;
  }
  if (failsWith !== undefined) {
    yield {
      event: 'response.failed',
      data: {
        response: {
          ...response,
          status: 'failed',
          error: { code: failsWith, message: turn.message ?? 'The model failed.' },
        },
      },
    };
    return;
  }
  for (const [index, call] of calls.entries()) {
    const place = { item_id: `fc_${named.id}_${index}`, output_index };
    const item = { type: 'function_call', id: place.item_id, call_id: named.callId(call, index), name: call.name };
    yield {
      event: 'response.output_item.added',
      data: { output_index, item: { ...item, status: 'in_progress', arguments: '' } },
    };
    const whole = argumentsOf(call);
    for (const delta of fragments(whole))
      yield { event: 'response.function_call_arguments.delta', data: { ...place, delta } };
    yield { event: 'response.function_call_arguments.done', data: { ...place, arguments: whole } };
    yield {
      event: 'response.output_item.done',
      data: { output_index, item: { ...item, status: 'completed', arguments: whole } },
    };
    output_index += 1;
  }
  const { input, output } = usageOf(turn, named.size);
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  yield { event: 'response.completed', data: { response: { ...response, status: 'completed', usage } } };
}

/** @type {Api} */
const CHAT = {
  ...COMMON,
  path: '/v1/chat/completions',
  read: ({ messages, tools = [] }) => ({
    system: textsOf(messages, ['system', 'developer']).join('\n'),
    said: textsOf(messages, ['user']),
    calls: chatCalls(messages).map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text })),
    results: messages
      .filter((/** @type {any} */ { role }) => role === 'tool')
      .map((/** @type {any} */ { tool_call_id: id, content }) => ({ id, output: textOf(content) })),
    tools: tools.map((/** @type {any} */ tool) => tool.function.name),
  }),
  complaint: ({ messages, stream }) => {
    if (stream !== true) return 'Only streams are spoken here.';
    const results = messages.filter((/** @type {any} */ { role }) => role === 'tool');
    return pairing(
      chatCalls(messages).map(({ id }) => id),
      results.map((/** @type {any} */ { tool_call_id: id }) => id),
    );
  },
  write: chatEvents,
};

/**
 * @param {Turn} turn
 * @param {Named} named
 * @returns {Generator<StreamEvent>}
 */
function* chatEvents(turn, named) {
  const { say, calls = [], refuse, failsWith } = turn;
  const base = { id: `chatcmpl-${named.id}`, object: 'chat.completion.chunk', created: CREATED, model: named.model };
  const chunk = (/** @type {object} */ delta, finish_reason = /** @type {string | null} */ (null)) => ({
    data: { ...base, choices: [{ index: 0, delta, finish_reason }] },
  });
  yield chunk({ role: 'assistant', content: '' });
  for (const content of fragments(say ?? '')) yield chunk({ content });
  for (const refusal of fragments(refuse ?? '')) yield chunk({ refusal });
  if (failsWith !== undefined) {
    yield { data: { error: { message: turn.message ?? 'The model failed.', type: failsWith, code: null } } };
    return;
  }
  for (const [index, call] of calls.entries()) {
    const begun = {
      index,
      id: named.callId(call, index),
      type: 'function',
      function: { name: call.name, arguments: '' },
    };
    yield chunk({ tool_calls: [begun] });
  }
  // Fragments of parallel calls are interleaved.
  const waiting = calls.map((call) => fragments(argumentsOf(call)));
  while (waiting.some((rest) => rest.length > 0)) {
    for (const [index, rest] of waiting.entries()) {
      const part = rest.shift();
      if (part !== undefined) yield chunk({ tool_calls: [{ index, function: { arguments: part } }] });
    }
  }
  yield chunk({}, calls.length > 0 ? 'tool_calls' : 'stop');
  const { input, output } = usageOf(turn, named.size);
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  yield { data: { ...base, choices: [], usage } };
  yield { data: '[DONE]' };
}

/**
 * OpenAI, on the loopback: `OPENAI_BASE_URL=<url>/v1`.
 * @param {import('./scripted_server.js').Script} script
 * @param {{ key?: string }} [options]
 */
export async function openaiServer(script, options) {
  return scriptedServer({ script, apis: [responsesApi(), CHAT], ...options });
}

/**
 * OpenAI's error for calls without results.
 * @param {string[]} calls
 * @param {string[]} results
 */
function pairing(calls, results) {
  const unanswered = calls.find((id) => !results.includes(id));
  if (unanswered !== undefined) return `No tool output found for function call ${unanswered}.`;
  const uncalled = results.find((id) => !calls.includes(id));
  return uncalled === undefined ? undefined : `No tool call found for function call output with call_id ${uncalled}.`;
}

/** @type {(items: any[], type: string) => any[]} */
function typed(items, type) {
  return items.filter((item) => item.type === type);
}

/** @type {(messages: any[]) => any[]} */
function chatCalls(messages) {
  return messages.flatMap(({ tool_calls: calls }) => calls ?? []);
}

/** @type {(messages: any[], roles: string[]) => string[]} */
function textsOf(messages, roles) {
  return messages.filter(({ role }) => roles.includes(role)).map(({ content }) => textOf(content));
}

/** @param {any} content */
function textOf(content) {
  return typeof content === 'string' ? content : content.map((/** @type {any} */ { text }) => text ?? '').join('');
}
