import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { privateAuthority } from '../helpers/certificates.js';
import { connectProxy } from '../helpers/connect_proxy.js';
import { createKernel } from '../helpers/create_kernel.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote, git } from '../helpers/git_remote.js';
import { probe } from '../helpers/host_probe.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const HOST = 'git.company.invalid';
const REPO = `https://${HOST}/remote.git`;
/** Only the proxy can resolve the host; an unreachable resolver answers late, or not at all. */
const NOT_FOUND = { code: 'ERR_GIT', message: expect.stringMatching(/host is not known|in time|git\.timeoutMs/) };
const TOOL = { path: 'tools/a.ts', content: 'return 1' };

/** A Git server that only the proxy can resolve, with a certificate of a private CA. */
async function company({ authorization = /** @type {string | undefined} */ (undefined) } = {}) {
  const { folder, remote } = await bareRemote();
  git(remote, 'config', 'http.receivepack', 'true');
  const { ca, key, cert } = await privateAuthority([HOST, '127.0.0.1']);
  const server = await gitHttpServer(folder, { tls: { key, cert } });
  const proxy = await connectProxy({ [`${HOST}:443`]: server.port }, { authorization });
  return { remote, ca, server, proxy };
}

describe('Git behind a proxy of the config, with a private CA', () => {
  it('is fetched from and pushed to through the proxy', async () => {
    const { remote, ca, proxy } = await company();
    const { kernel, tools } = await createKernel({ git: { repo: REPO }, network: { proxy: proxy.url, ca } });
    await kernel.boot();
    expect(await tools.write_file.execute(TOOL)).toMatchObject({ persisted: true });
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('1');
    expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:443`]));
  });

  it('is not trusted without the CA', async () => {
    const { proxy, server } = await company();
    const { kernel } = await createKernel({ git: { repo: REPO }, network: { proxy: proxy.url } });
    await expect(kernel.boot()).rejects.toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/certificate is not trusted/),
    });
    expect(proxy.asked.length).toBeGreaterThan(0);
    expect(server.requests).toEqual([]);
  });

  it('is not found without the proxy', async () => {
    const { ca, proxy } = await company();
    const { kernel } = await createKernel({ git: { repo: REPO, timeoutMs: 5000 }, network: { ca } });
    await expect(kernel.boot()).rejects.toMatchObject(NOT_FOUND);
    expect(proxy.asked).toEqual([]);
  });

  it('is reached directly if noProxy matches the host', async () => {
    const { ca, proxy } = await company();
    for (const noProxy of [[HOST], ['.company.invalid'], ['*.company.invalid']]) {
      const { kernel } = await createKernel({
        git: { repo: REPO, timeoutMs: 5000 },
        network: { proxy: proxy.url, noProxy, ca },
      });
      await expect(kernel.boot()).rejects.toMatchObject(NOT_FOUND);
    }
    expect(proxy.asked).toEqual([]);
  });

  it('sends the credentials of the proxy only to the proxy', async () => {
    const authorization = `Basic ${Buffer.from('me:hunter2').toString('base64')}`;
    const { ca, proxy } = await company({ authorization });
    const withCredentials = proxy.url.replace('://', '://me:hunter2@');
    const { kernel, tools } = await createKernel({ git: { repo: REPO }, network: { proxy: withCredentials, ca } });
    await kernel.boot();
    expect(JSON.stringify(kernel.config)).not.toContain('hunter2');
    expect(await tools.write_file.execute(TOOL)).toMatchObject({ persisted: true });
    const wrong = proxy.url.replace('://', '://me:hunter3@');
    const other = await createKernel({ git: { repo: REPO }, network: { proxy: wrong, ca } });
    const error = await other.kernel.boot().catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/the proxy requires a user name and a password/),
    });
    expect(error.message).not.toContain('hunter');
  });

  it('names a proxy that refuses the connection only if it was used', async () => {
    const network = { proxy: 'http://me:hunter2@127.0.0.1:9' };
    const { kernel } = await createKernel({ git: { repo: REPO }, network });
    const error = await kernel.boot().catch((reason) => reason);
    expect(error).toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringMatching(/the proxy '127\.0\.0\.1:9' \(network\.proxy\)/),
    });
    expect(error.message).not.toContain('hunter2');
    const direct = await createKernel({ git: { repo: REPO }, network: { ...network, noProxy: ['.company.invalid'] } });
    const other = await direct.kernel.boot().catch((reason) => reason);
    expect(other.code).toBe('ERR_GIT');
    expect(other.message).not.toContain('proxy');
  });

  it('fails after git.timeoutMs if the proxy does not answer', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (silent.address());
    const git = { repo: REPO, timeoutMs: 1000 };
    const rootDir = join(await tempRoot(), 'root');
    const { error, ms } = await probe({ rootDir, git, network: { proxy: `http://127.0.0.1:${port}` } });
    silent.close();
    expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringMatching(/git\.timeoutMs|in time/) });
    expect(ms).toBeLessThan(15_000);
  });
});

describe('Git behind a proxy of the environment', () => {
  it('goes through it, unless NO_PROXY or the config overrides it', async () => {
    const { ca, proxy } = await company();
    const boot = async (/** @type {object} */ config, /** @type {NodeJS.ProcessEnv} */ env) =>
      (await probe({ rootDir: join(await tempRoot(), 'root'), ...config }, { env })).error;
    const env = { HTTPS_PROXY: proxy.url };
    expect(await boot({ git: { repo: REPO }, network: { ca } }, env)).toBeNull();
    expect(proxy.asked).toEqual([`${HOST}:443`]);
    for (const NO_PROXY of [HOST, 'other.example, *.company.invalid']) {
      const direct = await boot({ git: { repo: REPO }, network: { ca } }, { ...env, NO_PROXY });
      expect(direct, NO_PROXY).toMatchObject(NOT_FOUND);
      expect(proxy.asked, NO_PROXY).toHaveLength(1);
    }
    const elsewhere = { proxy: 'http://127.0.0.1:9', ca };
    expect(await boot({ git: { repo: REPO }, network: elsewhere }, env)).toMatchObject({ code: 'ERR_GIT' });
    expect(proxy.asked).toHaveLength(1);
  });
});

describe('a proxy variable that is not an HTTP proxy', () => {
  it('is reported for a remote at a URL, whether it is reached or not', async () => {
    const { folder, remote } = await bareRemote();
    const server = await gitHttpServer(folder);
    const rootDir = join(await tempRoot(), 'root');
    const env = { HTTPS_PROXY: 'socks5://127.0.0.1:9', https_proxy: '' };
    const code = `const warnings = [];
      const logger = { debug() {}, info() {}, error() {}, warn: (text) => warnings.push(text) };
      const kernel = new TGP({ config: JSON.parse(process.env.CONFIG), logger });
      const error = await kernel.boot().then(() => null, (error) => error.message);
      await kernel.shutdown();
      console.log(JSON.stringify({ warnings, error }));`;
    const boot = (/** @type {object} */ config) =>
      runProgram(dirname(rootDir), code, { ...env, CONFIG: JSON.stringify({ rootDir, ...config }) });
    const warning = expect.stringMatching(/environment variable HTTPS_PROXY is not a valid HTTP proxy and is ignored/);
    expect(await boot({ git: { repo: `${server.url}/remote.git` } })).toEqual({ warnings: [warning], error: null });
    expect(await boot({ rootDir: `${rootDir}1`, git: { repo: remote } }), 'a path needs no proxy').toEqual({
      warnings: [],
      error: null,
    });
    expect((await boot({ rootDir: `${rootDir}2`, git: { repo: REPO, timeoutMs: 2000 } })).error).toEqual(warning);
  });
});

describe('a token for a server on loopback', () => {
  it('is not sent to any proxy', async () => {
    const token = 'tok_s3cr3t_value';
    const authorization = `Basic ${Buffer.from(`git:${token}`).toString('base64')}`;
    const { folder } = await bareRemote();
    const server = await gitHttpServer(folder, { authorization });
    const proxy = await connectProxy({});
    const git = { repo: `${server.url}/remote.git`, auth: { token } };
    const variables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'];
    const env = Object.fromEntries(variables.map((name) => [name, proxy.url]));
    for (const network of [{}, { proxy: proxy.url }]) {
      const { error } = await probe({ rootDir: join(await tempRoot(), 'root'), git, network }, { env });
      expect(error).toBeNull();
    }
    expect(proxy.asked).toEqual([]);
  });
});

describe('the section network', () => {
  it('refuses invalid values and names the key', async () => {
    const folder = await tempRoot();
    const junk = join(folder, 'junk.pem');
    writeFileSync(junk, 'no certificate');
    for (const [network, key] of /** @type {const} */ ([
      [{ proxy: 'proxy.example:3128' }, 'network.proxy'],
      [{ proxy: 'socks5://proxy.example' }, 'network.proxy'],
      [{ noProxy: ['x'] }, 'network.noProxy'],
      [{ proxy: 'http://x', noProxy: ['a,b'] }, 'network.noProxy'],
      [{ forTools: true }, 'network.forTools'],
      [{ ca: junk, forTools: true }, 'network.ca'],
      [{ ca: join(folder, 'missing.pem'), forTools: true }, 'network.ca'],
    ])) {
      const { kernel } = await createKernel({ network: /** @type {any} */ (network) });
      const error = await kernel.boot().catch((reason) => reason);
      expect(error, key).toMatchObject({ code: 'ERR_CONFIG' });
      expect(error.message, key).toContain(key);
      expect(error.message, key).not.toContain(folder);
    }
  });
});
