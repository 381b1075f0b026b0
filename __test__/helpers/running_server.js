import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';

/** The preload that replaces every model; see examples/scripted_model.mjs. */
export const SCRIPTED_MODEL = pathToFileURL(
  fileURLToPath(new URL('../../examples/scripted_model.mjs', import.meta.url)),
).href;

const START_MS = 180_000;
/** The bearer token of the agents in the examples. */
const TOKEN = 'let-me-in';

/**
 * Starts a program that listens on `PORT`, with the scripted model, and waits until it does. It is killed after the
 * test.
 * @param {string} cwd
 * @param {string} file
 * @param {NodeJS.ProcessEnv} [env] more of its environment
 * @param {string[]} [args] of the program
 */
export async function startServer(cwd, file, env = {}, args = []) {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', SCRIPTED_MODEL, file, ...args], {
    cwd,
    env: { ...process.env, PORT: String(port), HOSTNAME: '127.0.0.1', TGP_AGENT_TOKEN: TOKEN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    return { code, signal };
  };
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_MS;
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The server does not answer: ${printed}`);
    await sleep(50);
  }
  return { url, stop, printed: () => printed };
}

/**
 * One turn of the agent behind a route.
 * @param {string} url
 * @returns {Promise<string>} its text
 */
export async function askAgent(url) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'What is the dimensional weight of my box?' }] }),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${body}`);
  return JSON.parse(body).text;
}

export async function freePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
