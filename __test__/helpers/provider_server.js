import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/**
 * @typedef {{ call: { name: string, input: unknown } } | { say: string }} Move
 * @typedef {object} Provider the format of one API
 * @property {(body: any) => string[]} results the tool results in a request, in order
 * @property {(move: Move, id: string) => object} reply
 */

/** @type {Record<string, Provider>} */
const PROVIDERS = {
  '/v1/chat/completions': {
    results: ({ messages }) => messages.filter((/** @type {any} */ message) => message.role === 'tool').map(contentOf),
    reply: (move, id) => ({
      id: 'completion',
      object: 'chat.completion',
      created: 0,
      model: 'scripted',
      choices: [{ index: 0, finish_reason: 'call' in move ? 'tool_calls' : 'stop', message: chatMessage(move, id) }],
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    }),
  },
  '/v1/responses': {
    results: ({ input }) => items(input, 'function_call_output').map(({ output }) => output),
    reply: (move, id) => ({
      id: 'response',
      object: 'response',
      created_at: 0,
      model: 'scripted',
      status: 'completed',
      output: [responseItem(move, id)],
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    }),
  },
  '/v1/messages': {
    results: ({ messages }) => items(messages.flatMap(contentOf), 'tool_result').map(contentOf),
    reply: (move, id) => ({
      id: 'message',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content: [
        'call' in move
          ? { type: 'tool_use', id, name: move.call.name, input: move.call.input }
          : { type: 'text', text: move.say },
      ],
      stop_reason: 'call' in move ? 'tool_use' : 'end_turn',
      usage: { input_tokens: 0, output_tokens: 0 },
    }),
  },
};

/**
 * A server on the loopback with the APIs of OpenAI and Anthropic; its model follows a script, with one move per tool result
 * in the request.
 * @param {Move[]} moves
 */
export async function providerServer(moves) {
  const record = { tools: /** @type {any[]} */ ([]), results: /** @type {string[]} */ ([]) };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const provider = PROVIDERS[String(request.url)];
    const move = provider && moves[provider.results(body).length];
    if (!provider || !move) {
      response.writeHead(404).end();
      return;
    }
    record.tools = body.tools;
    record.results = provider.results(body);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(provider.reply(move, `call-${record.results.length}`)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, record };
}

/** @type {(move: Move, id: string) => object} */
function chatMessage(move, id) {
  if (!('call' in move)) return { role: 'assistant', content: move.say };
  const { name, input } = move.call;
  const called = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return { role: 'assistant', content: null, tool_calls: [called] };
}

/** @type {(move: Move, id: string) => object} */
function responseItem(move, id) {
  if ('call' in move) {
    const { name, input } = move.call;
    return { type: 'function_call', id, call_id: id, name, arguments: JSON.stringify(input), status: 'completed' };
  }
  const content = [{ type: 'output_text', text: move.say, annotations: [] }];
  return { type: 'message', id, role: 'assistant', status: 'completed', content };
}

/** @type {(list: any[], type: string) => any[]} */
function items(list, type) {
  return list.filter((item) => item.type === type);
}

/** @param {any} message */
function contentOf({ content }) {
  return content;
}
