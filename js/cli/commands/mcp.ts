/** `tgp mcp`: serves the workspace as an MCP server until the client disconnects or a signal arrives. */

import { once } from 'node:events';
import type { Stream } from 'node:stream';
import { createShellTools } from '../../agent_tools/shell_tools.js';
import { ValidationError } from '../../boundary/errors.js';
import type { TGP } from '../../kernel/tgp.js';
import { serveMcp } from '../../mcp/http.js';
import { createMcpServer } from '../../mcp/server.js';
import { LineTransport } from '../../mcp/stdio.js';
import type { ShellTools } from '../../types/shell.js';
import type { Mode } from '../../types/tests.js';
import { err } from '../terminal/output.js';
import { withWorkspace } from '../workspace/workspace.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const LAST_PORT = 65_535;

type ServerMode = { dryRun?: boolean; mode?: Mode; programs?: ShellTools };

/** @returns the exit code */
export async function mcp({
  config,
  http,
  host,
  token = process.env.TGP_MCP_TOKEN,
  yes,
  dryRun,
  mode,
  programs: names,
}: {
  config?: string;
  http?: boolean | string;
  host?: string;
  token?: string;
  yes?: boolean;
  dryRun?: boolean;
  mode?: Mode;
  programs?: string[];
}): Promise<number> {
  const port = portOf(http);
  if (port === undefined && (host !== undefined || token !== process.env.TGP_MCP_TOKEN)) {
    throw new ValidationError('--host and --token require --http.', { details: { field: 'http' } });
  }
  // Output of config files and drivers goes to standard error: standard output is for the protocol.
  globalThis.console = new console.Console(process.stderr, process.stderr);
  const signal = await withWorkspace({ config, yes, asks: 'client' }, async (kernel) => {
    const programs =
      names &&
      createShellTools({ kernel, programs: names, cwd: process.cwd(), agent: 'mcp', ...(dryRun && { dryRun }) });
    const options = { dryRun, mode, ...(programs && { programs }) };
    return port === undefined ? overStdio(kernel, options) : overHttp(kernel, { port, host, token, ...options });
  });
  // After the shutdown, the signal ends the process as usual.
  if (signal !== undefined) process.kill(process.pid, signal);
  return 0;
}

async function overStdio(kernel: TGP, options: ServerMode) {
  const server = await createMcpServer(kernel, options);
  const ended = untilEnd([endOf(process.stdin), endOf(process.stdout)]);
  await server.connect(new LineTransport(process.stdin, process.stdout));
  const signal = await ended;
  await server.close();
  return signal;
}

async function overHttp(kernel: TGP, options: ServerMode & { port: number; host?: string; token?: string }) {
  const ended = untilEnd([]);
  const { url, close } = await serveMcp(kernel, options);
  err(`MCP server at ${url}${options.token === undefined ? '' : ', with a bearer token'}\n`);
  const signal = await ended;
  await close();
  return signal;
}

/** Resolves when a stream ends, closes or fails. */
function endOf(stream: Stream) {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) stream.once(event, resolve);
  });
}

/** Waits for a signal or for one of the promises. Returns the signal, if one arrived. */
async function untilEnd(others: Promise<unknown>[]): Promise<(typeof SIGNALS)[number] | undefined> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const signals = SIGNALS.map(async (name) => {
    await once(process, name, { signal });
    return name;
  });
  for (const waiting of signals) waiting.catch(() => {});
  try {
    return await Promise.race([...signals, ...others.map(async (ended) => void (await ended))]);
  } finally {
    stopped.abort();
  }
}

function portOf(http: boolean | string | undefined) {
  if (http === undefined) return undefined;
  const port = http === true ? 0 : Number(http);
  if (Number.isInteger(port) && port >= 0 && port <= LAST_PORT) return port;
  throw new ValidationError('--http is not valid. Use a port from 0 to 65535; 0 or no value picks a free port.', {
    details: { field: 'http' },
  });
}
