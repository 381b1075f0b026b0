/**
 * The mock model of every major version of the AI SDK, with one format for scripts.
 *
 * @typedef {{ say?: string, call?: { name: string, input: unknown } }} Move
 * @typedef {{ name: string, output: unknown }} Seen the result of one call, as in the prompt of the model
 * @typedef {(seen: Seen[]) => Move} Decide
 * @typedef {{ tools: any[] }} Record what reached the model
 */

const NONE = { inputTokens: {}, outputTokens: {} };

/** @type {Record<string, { mock: string, reply: (move: Move, id: string) => any, parts: (move: Move, id: string) => any[] }>} */
const VERSIONS = {
  4: { mock: 'MockLanguageModelV1', reply: replyV1, parts: partsV1 },
  5: { mock: 'MockLanguageModelV2', reply: replyV2, parts: partsV2 },
  6: { mock: 'MockLanguageModelV3', reply: replyV3, parts: partsV3 },
  7: { mock: 'MockLanguageModelV4', reply: replyV3, parts: partsV3 },
};

/**
 * @param {string} version of the SDK
 * @param {any} test its `ai/test`
 * @param {Decide} decide
 * @returns {{ model: any, record: Record }}
 */
export function scriptedModel(version, test, decide) {
  const { mock, reply, parts } = VERSIONS[version];
  /** @type {Record} */
  const record = { tools: [] };
  const move = (/** @type {any} */ { prompt, mode, tools }) => {
    record.tools = tools ?? mode?.tools ?? [];
    const seen = results(prompt);
    return { move: decide(seen), id: `call-${seen.length}` };
  };
  const model = new test[mock]({
    doGenerate: async (/** @type {any} */ options) => {
      const next = move(options);
      return reply(next.move, next.id);
    },
    doStream: async (/** @type {any} */ options) => {
      const next = move(options);
      return { stream: test.convertArrayToReadableStream(parts(next.move, next.id)), rawCall: {} };
    },
  });
  return { model, record };
}

/**
 * @param {any[]} prompt
 * @returns {Seen[]}
 */
function results(prompt) {
  return prompt
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content)
    .map(({ toolName, result, output }) => ({ name: toolName, output: output ? output.value : result }));
}

/** @type {(move: Move, id: string) => any} */
function replyV1({ say, call }, id) {
  const usage = { promptTokens: 0, completionTokens: 0 };
  return { text: say, toolCalls: call && [callV1(call, id)], finishReason: reason(call), usage, rawCall: {} };
}

/** @type {(move: Move, id: string) => any[]} */
function partsV1({ say, call }, id) {
  const usage = { promptTokens: 0, completionTokens: 0 };
  return [
    ...(say ? [{ type: 'text-delta', textDelta: say }] : []),
    ...(call ? [{ type: 'tool-call', ...callV1(call, id) }] : []),
    { type: 'finish', finishReason: reason(call), usage },
  ];
}

/** @type {(call: { name: string, input: unknown }, id: string) => any} */
function callV1({ name, input }, id) {
  return { toolCallType: 'function', toolCallId: id, toolName: name, args: JSON.stringify(input) };
}

/** @type {(move: Move, id: string) => any} */
function replyV2(move, id) {
  return { content: content(move, id), finishReason: reason(move.call), usage: {}, warnings: [] };
}

/** @type {(move: Move, id: string) => any[]} */
function partsV2(move, id) {
  return [...streamed(move, id), { type: 'finish', finishReason: reason(move.call), usage: {} }];
}

/** @type {(move: Move, id: string) => any} */
function replyV3(move, id) {
  return { content: content(move, id), finishReason: finish(move.call), usage: NONE, warnings: [] };
}

/** @type {(move: Move, id: string) => any[]} */
function partsV3(move, id) {
  return [...streamed(move, id), { type: 'finish', finishReason: finish(move.call), usage: NONE }];
}

/** @type {(move: Move, id: string) => any[]} */
function content({ say, call }, id) {
  return [
    ...(say ? [{ type: 'text', text: say }] : []),
    ...(call ? [{ type: 'tool-call', toolCallId: id, toolName: call.name, input: JSON.stringify(call.input) }] : []),
  ];
}

/** @type {(move: Move, id: string) => any[]} */
function streamed({ say, call }, id) {
  const text = [
    { type: 'text-start', id },
    { type: 'text-delta', id, delta: say },
    { type: 'text-end', id },
  ];
  return [{ type: 'stream-start', warnings: [] }, ...(say ? text : []), ...(call ? content({ call }, id) : [])];
}

/** @param {unknown} call */
function reason(call) {
  return call ? 'tool-calls' : 'stop';
}

/** @param {unknown} call */
function finish(call) {
  return { unified: reason(call), raw: undefined };
}
