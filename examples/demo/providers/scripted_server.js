/** The common part of both providers' servers: a script, a request log, and answers streamed in fragments. */

import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * @typedef {object} ScriptedCall a call that the model makes
 * @property {string} name
 * @property {unknown} [input]
 * @property {string} [raw] its arguments as text, if they are not JSON
 * @property {string} [id] default: one per call
 *
 * @typedef {object} Turn one answer of the model
 * @property {string} [think] its visible reasoning before the answer
 * @property {string} [say] text, before the calls
 * @property {ScriptedCall[]} [calls] more than one are parallel calls
 * @property {string} [refuse] the model refuses, in these words
 * @property {{ input?: number, output?: number }} [usage] default: counted roughly
 * @property {number} [cutAfter] the connection breaks after so many events of the stream
 * @property {number} [waitsMs] before the answer begins
 * @property {number} [pausesMs] between two events
 * @property {number} [status] an HTTP failure in the place of an answer
 * @property {Record<string, string>} [headers] of it
 * @property {string} [message] of the failure
 * @property {string} [failsWith] the stream ends with an error of this kind, after the text
 * @property {string} [body] a body that is not a stream of this API
 *
 * @typedef {object} Seen a request as the model sees it
 * @property {number} number of the request, from 0
 * @property {string} api
 * @property {any} body
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {string} system the system prompt
 * @property {string[]} said the users' messages, in order
 * @property {{ id: string, name: string, arguments: string }[]} calls that were made so far
 * @property {{ id: string, output: string }[]} results of calls, in order
 * @property {string[]} tools names of the tools it may call
 *
 * @typedef {Turn[] | ((seen: Seen) => Turn | Promise<Turn>)} Script turns for one request each; the last one again for all that follow
 *
 * @typedef {object} StreamEvent
 * @property {string} [event]
 * @property {unknown} data an object, or text as it is
 *
 * @typedef {object} Api how one endpoint is spoken
 * @property {string} path
 * @property {(body: any) => Pick<Seen, 'system' | 'said' | 'calls' | 'results' | 'tools'>} read
 * @property {(turn: Turn, named: Named, body: any) => Iterable<StreamEvent>} write the events of an answer, each made when it is sent
 * @property {(turn: Turn) => unknown} failure body of an HTTP failure
 * @property {(headers: import('node:http').IncomingHttpHeaders) => string | undefined} keyOf the key that it came with
 * @property {(body: any) => string | undefined} [complaint] what is wrong with a request, as the provider would say it
 *
 * @typedef {object} Named names of one answer
 * @property {string} id
 * @property {string} model
 * @property {number} size characters of the request
 * @property {(call: ScriptedCall, index: number) => string} callId
 */

const FRAGMENT_CHARS = 7;
const CHARS_PER_TOKEN = 4;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Text in small fragments, cut anywhere in words, names and escapes.
 * @param {string} text
 */
export function fragments(text) {
  const parts = [];
  for (let at = 0; at < text.length; at += FRAGMENT_CHARS) parts.push(text.slice(at, at + FRAGMENT_CHARS));
  return parts;
}

/** @param {ScriptedCall} call */
export function argumentsOf({ input, raw }) {
  return raw ?? JSON.stringify(input ?? {});
}

/**
 * @param {Turn} turn
 * @param {number} size
 */
export function usageOf({ usage, say = '', calls = [], refuse = '' }, size) {
  const written = say.length + refuse.length + calls.reduce((sum, call) => sum + argumentsOf(call).length, 0);
  return {
    input: usage?.input ?? Math.ceil(size / CHARS_PER_TOKEN),
    output: usage?.output ?? Math.ceil(written / CHARS_PER_TOKEN),
  };
}

/**
 * A server on the loopback.
 * @param {{ script: Script, apis: Api[], key?: string }} options with `key`, others are refused
 */
export async function scriptedServer({ script, apis, key }) {
  /** @type {Seen[]} */
  const requests = [];
  /** @type {string[]} what was wrong with the script or a request */
  const problems = [];
  const server = createServer(async (request, response) => {
    try {
      await answer(request, response);
    } catch (error) {
      problems.push(String(error));
      response.destroy();
    }
  });

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async function answer(request, response) {
    const text = await bodyOf(request);
    const api = apis.find(({ path }) => request.url === path);
    if (api === undefined) {
      problems.push(`no such address: ${request.method} ${request.url}`);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"Not found."}}');
      return;
    }
    const fail = (/** @type {number} */ status, /** @type {Turn} */ turn) => {
      response.writeHead(status, { 'content-type': 'application/json', ...turn.headers });
      response.end(turn.body ?? JSON.stringify(api.failure({ ...turn, status })));
    };
    if (key !== undefined && api.keyOf(request.headers) !== key) {
      return fail(401, { message: `Incorrect API key provided: ${api.keyOf(request.headers)}.` });
    }
    const body = JSON.parse(text);
    const complaint = api.complaint?.(body);
    if (complaint !== undefined) {
      problems.push(complaint);
      return fail(400, { message: complaint });
    }
    const number = requests.length;
    const seen = { number, api: api.path, body, headers: request.headers, ...api.read(body) };
    requests.push(seen);
    const turn = typeof script === 'function' ? await script(seen) : script[Math.min(number, script.length - 1)];
    if (turn === undefined) throw new Error(`The script has no turn for request ${number}.`);
    if (turn.waitsMs !== undefined) await pause(turn.waitsMs);
    if (turn.status !== undefined) return fail(turn.status, turn);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    if (turn.body !== undefined) {
      response.end(turn.body);
      return;
    }
    const named = {
      id: `${number}`,
      model: String(body.model),
      size: text.length,
      callId: (/** @type {ScriptedCall} */ call, /** @type {number} */ index) => call.id ?? `call_${number}_${index}`,
    };
    let sent = 0;
    for (const { event, data } of api.write(turn, named, body)) {
      const line = `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
      if (response.destroyed) return;
      if (!response.write(event === undefined ? line : `event: ${event}\n${line}`)) await drained(response);
      // A separate fragment for the client, with time for the reader to disconnect.
      await pause(turn.pausesMs ?? 0);
      sent += 1;
      if (sent === turn.cutAfter) {
        response.destroy();
        return;
      }
    }
    response.end();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    problems,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

/** @param {import('node:http').IncomingMessage} request */
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error('The request is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @param {import('node:http').ServerResponse} response */
function drained(response) {
  return Promise.race([once(response, 'drain'), once(response, 'close')]);
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => (ms === 0 ? setImmediate(resolve) : setTimeout(resolve, ms)));
}
