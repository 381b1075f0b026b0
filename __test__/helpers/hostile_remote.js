import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { git } from './git_remote.js';
import { probe } from './host_probe.js';
import { commitBytes, PackBytes, treeBytes } from './pack_bytes.js';
import { tempRoot } from './temp_root.js';

/** The transports of a remote. */
export const WAYS = /** @type {const} */ (['path', 'http', 'ssh']);
/** @typedef {typeof WAYS[number]} Way */
/** @typedef {{ repo: string, env: NodeJS.ProcessEnv, replace: (pack: Buffer, tip: string) => void }} Served */

const CAPABILITIES = 'side-band-64k ofs-delta no-progress report-status';
const MAX_DATA = 65_515;

/** One frame of the protocol. @param {string | Buffer} payload */
export function frame(payload) {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/**
 * The first message of a server: its references.
 * @param {string} tip
 * @param {Iterable<string>} [more] names of other references
 */
export function advertisement(tip, more = []) {
  const lines = [frame(`${tip} HEAD\0${CAPABILITIES}\n`), frame(`${tip} refs/heads/main\n`)];
  for (const name of more) lines.push(frame(`${tip} ${name}\n`));
  return Buffer.concat([...lines, Buffer.from('0000')]);
}

/** The response with a pack. @param {Buffer} pack */
export function packAnswer(pack) {
  const frames = [frame('NAK\n')];
  for (let at = 0; at < pack.length; at += MAX_DATA) {
    frames.push(frame(Buffer.concat([Buffer.from([1]), pack.subarray(at, at + MAX_DATA)])));
  }
  return Buffer.concat([...frames, Buffer.from('0000')]);
}

/**
 * A remote with this pack and this commit on `main`, reached by this transport. Git does not check what it serves.
 * @param {Way} way
 * @param {Buffer} pack
 * @param {string} tip
 * @returns {Promise<Served>}
 */
export async function serve(way, pack, tip) {
  if (way === 'path') return servePath(pack, tip);
  const responses = { greeting: advertisement(tip), answer: packAnswer(pack) };
  const served = way === 'http' ? await serveHttp(responses) : await serveSsh(responses);
  return {
    ...served,
    replace: (nextPack, nextTip) =>
      served.setResponses({ greeting: advertisement(nextTip), answer: packAnswer(nextPack) }),
  };
}

/**
 * @param {Buffer} pack
 * @param {string} tip
 */
async function servePath(pack, tip) {
  const folder = await tempRoot();
  const repo = join(folder, 'remote.git');
  git(folder, 'init', '-q', '--bare', '-b', 'main', repo);
  let packs = 0;
  /** @type {Served['replace']} */
  const replace = (nextPack, nextTip) => {
    packs += 1;
    const file = join(repo, `objects/pack/pack-${String(packs).padStart(40, '0')}.pack`);
    writeFileSync(file, nextPack);
    execFileSync('git', ['-C', repo, 'index-pack', '-o', file.replace(/pack$/, 'idx'), file], { stdio: 'ignore' });
    writeFileSync(join(repo, 'refs/heads/main'), `${nextTip}\n`);
  };
  replace(pack, tip);
  return { repo, env: {}, replace };
}

/** @typedef {{ greeting: Buffer, answer: Buffer }} Responses */

/**
 * Sends the same responses to every client.
 * @param {Responses} first
 */
async function serveHttp(first) {
  let responses = first;
  const server = await rawServer((request, response) => {
    const isGreeting = request.method === 'GET';
    const service = request.url?.includes('receive-pack') ? 'receive-pack' : 'upload-pack';
    const kind = isGreeting ? `git-${service}-advertisement` : `git-${service}-result`;
    request.resume();
    response.writeHead(200, { 'content-type': `application/x-${kind}` });
    if (isGreeting) response.write(Buffer.concat([frame(`# service=git-${service}\n`), Buffer.from('0000')]));
    response.end(isGreeting ? responses.greeting : responses.answer);
  });
  /** @param {Responses} next */
  const setResponses = (next) => {
    responses = next;
  };
  return { repo: `${server.url}/remote.git`, env: {}, setResponses };
}

/**
 * A server with any listener.
 * @param {import('node:http').RequestListener} listener
 */
export async function rawServer(listener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, server };
}

/** @param {Responses} first */
async function serveSsh(first) {
  const folder = await tempRoot();
  const setResponses = (/** @type {Responses} */ { greeting, answer }) => {
    writeFileSync(join(folder, 'greeting'), greeting);
    writeFileSync(join(folder, 'answer'), answer);
  };
  setResponses(first);
  const env = sshStandIn(folder, `cat "${folder}/greeting" "${folder}/answer"; cat > /dev/null`);
  return { repo: 'git@host.example:remote.git', env, setResponses };
}

/**
 * A stand-in for `ssh`.
 * @param {string} folder
 * @param {string} body of a shell script
 * @returns {NodeJS.ProcessEnv} the environment in which it is found
 */
export function sshStandIn(folder, body) {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'ssh');
  writeFileSync(program, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return { GIT_SSH: program };
}

/** A valid pack of one commit, and the id of that commit. */
export function goodPack() {
  const pack = new PackBytes();
  const blob = pack.add('blob', Buffer.from('good'));
  const tip = pack.add('commit', commitBytes(pack.add('tree', treeBytes([['100644', 'f.txt', blob]]))));
  return { pack: pack.toBuffer(), tip };
}

/**
 * Boots a kernel from a remote in a separate process, and returns the report.
 * @param {string} repo
 * @param {object} [git]
 * @param {NodeJS.ProcessEnv} [env]
 */
export const bootFrom = async (repo, git = {}, env = {}) =>
  probe({ rootDir: join(await tempRoot(), 'root'), git: { repo, ...git } }, { env });

/**
 * Whether a process has not ended.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
