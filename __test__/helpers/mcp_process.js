import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { startProgram } from './run_program.js';
import { tempRoot } from './temp_root.js';

const MCP = new URL('../../dist/mcp.js', import.meta.url).href;
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const TYPES = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

/**
 * An MCP server over HTTP in a separate process, which no request may end.
 * @param {object} [options] of `serveMcp`
 */
export async function mcpProcess(options = {}) {
  const folder = await tempRoot();
  const { child, ended } = startProgram(
    folder,
    `const { serveMcp } = await import(${JSON.stringify(MCP)});
     const kernel = new TGP({ config: { rootDir: '.tgp' }, logger: { debug() {}, info() {}, warn() {}, error() {} } });
     await kernel.boot();
     const { url } = await serveMcp(kernel, ${JSON.stringify(options)});
     console.log(url);`,
  );
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const died = ended.then(({ stderr }) => Promise.reject(new Error(`The server has ended: ${stderr}`)));
  died.catch(() => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value: url } = await Promise.race([lines.next(), died]);
  const { port } = new URL(url);
  const status = (/** @type {string} */ key) =>
    Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

  /** Posts JSON like a client. */
  const post = (/** @type {unknown} */ body, headers = {}) =>
    fetch(url, { method: 'POST', headers: { ...TYPES, ...headers }, body: JSON.stringify(body) });

  return {
    url,
    port: Number(port),
    died,
    post,
    /** Its peak memory in megabytes. */
    peakMb: () => status('VmHWM'),
    /** Its current memory in megabytes. */
    residentMb: () => status('VmRSS'),
    /** Opens a session like a client; fails if the server has ended or refuses it. */
    initialize: async () => {
      const response = await Promise.race([post(INITIALIZE), died]);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${text}`);
      return String(response.headers.get('mcp-session-id'));
    },
  };
}

/**
 * Sends bytes and waits for the responses: their status codes, and whether the connection was closed.
 * @param {number} port
 * @param {(string | Buffer)[]} parts sent one after the other
 * @param {{ end?: boolean, destroy?: boolean, waitMs?: number }} [options]
 * @returns {Promise<{ statuses: number[], closed: boolean, text: string }>}
 */
export function sendRaw(port, parts, { end = true, destroy = false, waitMs = 5_000 } = {}) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const done = (/** @type {boolean} */ closed) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ statuses: [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => Number(match[1])), closed, text });
    };
    const timer = setTimeout(() => done(false), waitMs);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => done(true));
    socket.on('close', () => done(true));
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
      if (destroy) done(true);
      else if (end) socket.end();
    });
  });
}
