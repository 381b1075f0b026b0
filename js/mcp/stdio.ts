/** MCP over standard input and output: one message per line, with a limited length. */

import type { Readable, Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { ByteQueue, TooLarge } from '../boundary/bounded_read.js';
import { BadJson, MAX_MESSAGE_VALUES, parseForeignJson } from '../boundary/foreign_json.js';
import { guarded } from '../boundary/guarded.js';
import { loadSdk } from './sdk.js';

/** Longest accepted line; a longer one is skipped. */
const MAX_LINE_BYTES = 16 << 20;
/** Backpressure: reading stops while more than this waits to be written. */
const MAX_WAITING_BYTES = 1 << 20;
const LINE_END = 0x0a;
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;

/** A line-based transport for the MCP SDK. */
export class LineTransport implements Transport {
  onmessage: Transport['onmessage'];
  onerror: ((error: Error) => void) | undefined;
  onclose: (() => void) | undefined;
  #input;
  #output;
  #line = new ByteQueue(MAX_LINE_BYTES);
  /** Whether the current line is too long and is skipped. */
  #skips = false;
  #isOpen = false;
  #schema: typeof JSONRPCMessageSchema | undefined;

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
  }

  async start() {
    const { types } = await loadSdk();
    this.#schema = types.JSONRPCMessageSchema;
    this.#isOpen = true;
    this.#input.on('data', this.#onData);
    this.#input.on('error', this.#fail);
    this.#output.on('error', this.#fail);
    this.#output.on('drain', this.#onDrain);
  }

  async send(message: object) {
    if (!this.#isOpen) throw new Error('The connection is closed.');
    this.#output.write(`${JSON.stringify(message)}\n`);
    if (this.#output.writableLength > MAX_WAITING_BYTES) this.#input.pause();
  }

  async close() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input.off('data', this.#onData);
    this.#input.pause();
    this.onclose?.();
  }

  #fail = guarded(
    () => {},
    (error: unknown) => {
      this.onerror?.(error instanceof Error ? error : new Error('The connection failed.'));
      return this.close();
    },
  );

  #onDrain = guarded(this.#fail, () => {
    if (this.#isOpen) this.#input.resume();
  });

  #onData = guarded(this.#fail, (chunk: Buffer) => {
    for (let rest = chunk; rest.length > 0 && this.#isOpen; ) {
      const end = rest.indexOf(LINE_END);
      this.#add(end === -1 ? rest : rest.subarray(0, end));
      if (end === -1) return;
      this.#finishLine();
      rest = rest.subarray(end + 1);
    }
  });

  /** @param part of a line */
  #add(part: Buffer) {
    if (this.#skips) return;
    try {
      this.#line.push(part);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      this.#skips = true;
      this.#line = new ByteQueue(MAX_LINE_BYTES);
    }
  }

  #finishLine() {
    const text = this.#line.take(this.#line.length)?.toString('utf8').trim() ?? '';
    const wasSkipped = this.#skips;
    this.#skips = false;
    if (wasSkipped) return this.#refuse(INVALID_REQUEST, `A message may have at most ${MAX_LINE_BYTES} bytes.`);
    if (text === '') return;
    const message = this.#read(text);
    if (message !== undefined) this.onmessage?.(message);
  }

  #read(text: string) {
    let value: unknown;
    try {
      value = parseForeignJson(text, { maxValues: MAX_MESSAGE_VALUES });
    } catch (error) {
      if (!(error instanceof BadJson)) throw error;
      return this.#refuse(PARSE_ERROR, error.message);
    }
    const checked = this.#schema?.safeParse(value);
    return checked?.success ? checked.data : this.#refuse(INVALID_REQUEST, 'The line is not a JSON-RPC 2.0 message.');
  }

  #refuse(code: number, message: string): undefined {
    this.onerror?.(new Error(message));
    this.send({ jsonrpc: '2.0', id: null, error: { code, message } }).catch(this.#fail);
  }
}
