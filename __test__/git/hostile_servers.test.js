import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryVFS, TGP } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import {
  advertisement,
  bootFrom,
  frame,
  goodPack,
  isAlive,
  packAnswer,
  rawServer,
  sshStandIn,
} from '../helpers/hostile_remote.js';
import { PackBytes } from '../helpers/pack_bytes.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const MAX_MB = 200;
const MB = 1 << 20;
/** Far below the limit of a boot, far above the duration of a boot that is cut short. */
const SOON_MS = 15_000;
const TIP = '1'.repeat(40);

/**
 * A server whose advertisement (`greeting`) or answer is written by `write`.
 * @param {'greeting' | 'answer'} part
 * @param {(response: import('node:http').ServerResponse) => void} write
 * @param {Record<string, string>} [headers]
 */
async function serverWith(part, write, headers = {}) {
  const { url } = await rawServer((request, response) => {
    request.resume();
    response.on('error', () => {});
    const isGreeting = request.method === 'GET';
    const kind = isGreeting ? 'advertisement' : 'result';
    response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}`, ...headers });
    if (isGreeting) response.write(Buffer.concat([frame('# service=git-upload-pack\n'), Buffer.from('0000')]));
    if (isGreeting && part === 'answer') response.end(advertisement(TIP));
    else write(response);
  });
  return `${url}/remote.git`;
}

/**
 * Writes the same bytes until the client disconnects, or a number of times.
 * @param {import('node:http').ServerResponse} response
 * @param {Buffer} bytes
 * @param {number} [times]
 */
function flood(response, bytes, times = Number.POSITIVE_INFINITY) {
  let count = 0;
  const more = () => {
    while (!response.destroyed && count++ < times) if (!response.write(bytes)) return response.once('drain', more);
    response.end();
  };
  more();
}

describe('an advertisement of references', () => {
  it('with 60 000 references of 64 KB, or millions of short ones, exceeds a limit', async () => {
    const long = frame(`${TIP} refs/heads/${'x'.repeat(65_000)}\n`);
    const short = Buffer.concat(Array.from({ length: 1000 }, (_, index) => frame(`${TIP} refs/heads/b${index}\n`)));
    const tiny = Buffer.concat(Array(1000).fill(frame(`${TIP} x`)));
    for (const [bytes, times] of /** @type {const} */ ([
      [long, 60_000],
      [short, 10_000],
      [tiny, 10_000],
    ])) {
      const repo = await serverWith('greeting', (response) => {
        response.write(frame(`${TIP} refs/heads/main\0side-band-64k\n`));
        flood(response, bytes, times);
      });
      const { error, peakMb } = await bootFrom(repo);
      expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/exceeds a limit: .*references/) });
      expect(peakMb).toBeLessThan(MAX_MB);
    }
  });

  it('with 100 000 ordinary references is read within the memory limit', async () => {
    const { pack, tip } = goodPack();
    const { url } = await rawServer((request, response) => {
      request.resume();
      const isGreeting = request.method === 'GET';
      response.writeHead(200, {
        'content-type': `application/x-git-upload-pack-${isGreeting ? 'advertisement' : 'result'}`,
      });
      const names = Array.from({ length: 100_000 }, (_, index) => `refs/heads/feature/some-long-name-${index}`);
      response.end(
        isGreeting
          ? Buffer.concat([frame('# service=git-upload-pack\n'), Buffer.from('0000'), advertisement(tip, names)])
          : packAnswer(pack),
      );
    });
    const { error, files, peakMb } = await bootFrom(`${url}/remote.git`);
    expect(error).toBeNull();
    expect(files).toEqual(['f.txt']);
    expect(peakMb).toBeLessThan(MAX_MB);
  });

  it('that is malformed is an error', async () => {
    const zip = gzipSync(Buffer.alloc(200 * MB));
    const cases = {
      'a web page': [Buffer.from('<html>'.repeat(1000)), {}],
      'an endless number': [Buffer.from('1'.repeat(100_000)), {}],
      'lengths out of range': [Buffer.from('ffff0001fff0'), {}],
      'a packed body': [zip, { 'content-encoding': 'gzip' }],
      nothing: [Buffer.alloc(0), {}],
    };
    for (const [name, [bytes, headers]] of Object.entries(cases)) {
      const repo = await serverWith('greeting', (response) => response.end(bytes), /** @type {any} */ (headers));
      const { error, peakMb } = await bootFrom(repo);
      expect(error, name).toMatchObject({ code: 'ERR_GIT' });
      expect(peakMb, name).toBeLessThan(MAX_MB);
    }
  });

  it('with a long error that contains the token is shortened, and the token is hidden', async () => {
    const token = 'tok_very_secret';
    const basic = Buffer.from(`git:${token}`).toString('base64');
    const repo = await serverWith('greeting', (response) => {
      response.end(frame(`ERR you sent ${token} and ${basic}\r\n\u001b[31m${'x'.repeat(60_000)}`));
    });
    const { error } = await bootFrom(repo, { auth: { token } });
    expect(error?.code).toBe('ERR_GIT');
    expect(error?.message).toMatch(/you sent \[hidden\] and \[hidden\]/);
    expect(error?.message.length).toBeLessThan(600);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: expects none
    expect(error?.message).not.toMatch(/[\u0000-\u001f]/);
  });

  it('with the token where the text is cut off shows no part of the token', async () => {
    const token = 'tok_very_secret';
    const [cut, many] = [`${'x'.repeat(293)}${token}`, `${token} `.repeat(82)];
    for (const text of [cut, many]) {
      const repo = await serverWith('greeting', (response) => response.end(frame(`ERR ${text}`)));
      const { error } = await bootFrom(repo, { auth: { token } });
      expect(error?.message).toContain('[hid');
      expect(error?.message).not.toContain('tok_');
    }
  });
});

describe('an answer to a fetch', () => {
  it('with endless progress, empty frames or acknowledgements exceeds a limit', async () => {
    for (const bytes of [frame(`\u0002${'p'.repeat(60_000)}`), frame('\u0001'), Buffer.from('0000'), frame('ACK\n')]) {
      const repo = await serverWith('answer', (response) => flood(response, Buffer.concat(Array(100).fill(bytes))));
      const { error, peakMb } = await bootFrom(repo);
      expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/besides the requested data/) });
      expect(peakMb).toBeLessThan(MAX_MB);
    }
  });

  it('with an endless pack exceeds a limit', async () => {
    const pack = new PackBytes();
    pack.add('blob', Buffer.from('x'));
    const start = pack.toBuffer({ count: 8190 }).subarray(0, -20);
    const blob = new PackBytes();
    blob.add('blob', Buffer.from('0123456789'.repeat(50)));
    const entries = Buffer.concat(Array(100).fill(blob.toBuffer().subarray(12, -20)));
    const repo = await serverWith('answer', (response) => {
      response.write(frame(Buffer.concat([Buffer.from([1]), start])));
      flood(response, frame(Buffer.concat([Buffer.from([1]), entries])));
    });
    const { error, peakMb } = await bootFrom(repo, { fetchBytes: 4 * MB });
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/more than 4194304 bytes; raise git\.fetchBytes/),
    });
    expect(peakMb).toBeLessThan(MAX_MB);
  });
});

describe('a slow server', () => {
  it('that never answers: boot ends after git.timeoutMs', async () => {
    const silent = createServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    onTestFinished(() => void silent.close());
    const { port } = /** @type {import('node:net').AddressInfo} */ (silent.address());
    const { error, ms } = await bootFrom(`http://127.0.0.1:${port}/remote.git`, { timeoutMs: 1000 });
    expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/git\.timeoutMs|in time/) });
    expect(ms).toBeLessThan(SOON_MS);
  });

  it.each(/** @type {const} */ (['greeting', 'answer']))(
    'that sends its %s byte by byte: boot ends after git.timeoutMs',
    async (part) => {
      const repo = await serverWith(part, (response) => {
        // The start of a frame that would take four minutes.
        response.write('0a00');
        const drip = setInterval(() => response.write('x'), 100);
        response.on('close', () => clearInterval(drip));
      });
      const { error, ms } = await bootFrom(repo, { timeoutMs: 1500 });
      expect(error).toMatchObject({ code: 'ERR_GIT' });
      expect(ms).toBeLessThan(SOON_MS);
    },
  );

  it('that stops within a frame length: boot ends after git.timeoutMs', async () => {
    const repo = await serverWith('greeting', (response) => {
      response.write('00');
    });
    const { error, ms } = await bootFrom(repo, { timeoutMs: 1000 });
    expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/git\.timeoutMs/) });
    expect(ms).toBeLessThan(SOON_MS);
  });

  it('during a shutdown: neither boot nor shutdown waits for it', async () => {
    const folder = await tempRoot();
    const repos = {
      http: await serverWith('greeting', () => writeFileSync(join(folder, 'http.pid'), '')),
      ssh: 'git@host.example:remote.git',
    };
    for (const [way, repo] of Object.entries(repos)) {
      const env = way === 'ssh' ? sshStandIn(folder, 'echo $$ > "$0.pid"; exec sleep 1000') : {};
      const { child, ended } = startProgram(
        folder,
        `
          const { existsSync } = await import('node:fs');
          const silent = { debug() {}, info() {}, warn() {}, error() {} };
          const kernel = new TGP({ config: { rootDir: './root-${way}', git: { repo: ${JSON.stringify(repo)} }, sandbox: { warm: 0 } }, logger: silent });
          const booting = kernel.boot().then(() => 'booted', ({ code }) => code);
          while (!existsSync('${way}.pid')) await new Promise((done) => setTimeout(done, 50));
          const start = performance.now();
          await kernel.shutdown({ pushTimeoutMs: 300 });
          process.stdout.write(JSON.stringify({ ms: performance.now() - start, booting: await booting }));
        `,
        env,
      );
      let printed = '';
      child.stdout.on('data', (chunk) => {
        printed += chunk;
      });
      const { exitCode, stderr } = await ended;
      expect(exitCode, stderr).toBe(0);
      const { ms, booting } = JSON.parse(printed);
      expect(booting, way).toBe('ERR_GIT');
      expect(ms, way).toBeLessThan(SOON_MS);
    }
    expect(isAlive(Number(readFileSync(join(folder, 'ssh.pid'), 'utf8')))).toBe(false);
  });

  it('during the shutdown of a kernel that still boots: shutdown does not wait for it', async () => {
    const repo = await serverWith('greeting', () => {});
    const vfs = createMemoryVFS();
    const { listFiles } = vfs;
    /** @type {() => void} */
    let answer = () => {};
    const answered = new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
    vfs.listFiles = (...args) => answered.then(() => listFiles.apply(vfs, args));
    const kernel = new TGP({ config: { git: { repo } }, vfs });
    const booting = kernel.boot().catch(({ code }) => code);
    const begun = performance.now();
    const stopping = kernel.shutdown({ pushTimeoutMs: 0 });
    await new Promise((done) => setTimeout(done, 50));
    answer();
    await stopping;
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
    expect(await booting).toBe('ERR_GIT');
  });

  it('during the last push: shutdown ends after pushTimeoutMs', async () => {
    let isSilent = false;
    let unanswered = 0;
    const { pack, tip } = goodPack();
    const { url } = await rawServer((request, response) => {
      request.resume();
      if (isSilent) {
        unanswered += 1;
        return;
      }
      const isGreeting = request.method === 'GET';
      response.writeHead(200, {
        'content-type': `application/x-git-upload-pack-${isGreeting ? 'advertisement' : 'result'}`,
      });
      response.end(
        isGreeting
          ? Buffer.concat([frame('# service=git-upload-pack\n'), Buffer.from('0000'), advertisement(tip)])
          : packAnswer(pack),
      );
    });
    const { kernel, tools } = await createKernel({ git: { repo: `${url}/remote.git` } });
    await kernel.boot();
    isSilent = true;
    const writing = tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    await expect.poll(() => unanswered, { timeout: 30_000 }).toBeGreaterThan(0);
    const start = performance.now();
    await kernel.shutdown({ pushTimeoutMs: 300 });
    expect(performance.now() - start).toBeLessThan(SOON_MS);
    expect(await writing).toMatchObject({ persisted: 'local' });
  });
});
