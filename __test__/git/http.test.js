import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import {
  bareRemote,
  clone,
  commitsOf,
  filesOf,
  git,
  MAX_REGISTRY_COMMITS_OF_A_SYNC,
  SOUND,
  soundness,
} from '../helpers/git_remote.js';

const TOKEN = 'tok_s3cr3t_value';
const BASIC = `Basic ${Buffer.from(`git:${TOKEN}`).toString('base64')}`;

async function httpRemote(options) {
  const bare = await bareRemote();
  git(bare.remote, 'config', 'http.receivepack', 'true');
  const server = await gitHttpServer(bare.folder, options);
  return { ...bare, ...server, repo: `${server.url}/remote.git` };
}

afterEach(() => {
  delete process.env.TGP_GIT_TOKEN;
});

describe('a smart-HTTP remote', () => {
  it('is cloned, written and shared', async () => {
    const { folder, remote, repo } = await httpRemote();
    const [a, b] = [await createKernel({ git: { repo } }), await createKernel({ git: { repo } })];
    await Promise.all([a.kernel.boot(), b.kernel.boot()]);
    const results = await Promise.all(
      [a, b, a, b].map(({ tools }, index) =>
        tools.write_file.execute({ path: `tools/t${index}.ts`, content: `${index}` }),
      ),
    );
    expect(results.map(({ persisted }) => persisted)).toEqual([true, true, true, true]);
    await a.kernel.sync();
    await b.kernel.sync();
    const { registry, ...commits } = commitsOf(remote);
    expect(commits).toEqual({ writes: 4, others: [] });
    expect(registry).toBeLessThanOrEqual(2 * MAX_REGISTRY_COMMITS_OF_A_SYNC);
    const fresh = filesOf(clone(folder, remote));
    for (const { rootDir } of [a, b]) {
      expect(filesOf(rootDir)).toEqual(fresh);
      expect(soundness(rootDir)).toEqual(SOUND);
    }
    const c = await createKernel({ git: { repo } });
    expect(await c.tools.read_file.execute({ path: 'tools/t3.ts' })).toBe('3');
    expect(soundness(c.rootDir)).toEqual(SOUND);
  });

  it('needs one round trip for a boot without changes', async () => {
    const { repo, requests } = await httpRemote();
    const first = await createKernel({ git: { repo } });
    await first.tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' });
    await first.kernel.shutdown();
    requests.length = 0;
    const second = await createKernel({ git: { repo }, rootDir: first.rootDir });
    await second.kernel.boot();
    await second.kernel.shutdown();
    expect(requests).toEqual(['GET /remote.git/info/refs?service=git-upload-pack']);
  });

  it('sends a long history in one pack', async () => {
    const { remote, repo } = await httpRemote();
    const commits = Array.from({ length: 70 }, (_, index) => {
      const content = `${index}\n`.repeat(100);
      return `commit refs/heads/main\ncommitter P <p@example.org> ${index} +0000\ndata 1\nx\nM 644 inline f.txt\ndata ${content.length}\n${content}\n`;
    });
    execFileSync('git', ['-C', remote, 'fast-import', '--quiet'], { input: commits.join('') });
    const { tools, rootDir } = await createKernel({ git: { repo } });
    expect(await tools.read_file.execute({ path: 'f.txt' })).toBe('69\n'.repeat(100));
    expect(git(rootDir, 'rev-list', '--count', 'HEAD')).toBe('70');
    expect(soundness(rootDir)).toEqual(SOUND);
  });
});

describe('authentication', () => {
  it('takes the token from the configuration or the environment', async () => {
    const { remote, repo } = await httpRemote({ authorization: BASIC });
    const configured = await createKernel({ git: { repo, auth: { token: TOKEN } } });
    expect((await configured.tools.write_file.execute({ path: 'tools/a.ts', content: '1' })).persisted).toBe(true);
    process.env.TGP_GIT_TOKEN = TOKEN;
    const fromEnvironment = await createKernel({ git: { repo } });
    expect((await fromEnvironment.tools.write_file.execute({ path: 'tools/b.ts', content: '2' })).persisted).toBe(true);
    const inUrl = await createKernel({ git: { repo: repo.replace('://', `://git:${TOKEN}@`) } });
    expect((await inUrl.tools.write_file.execute({ path: 'tools/c.ts', content: '3' })).persisted).toBe(true);
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('3');
  });

  it('that fails is reported with a remedy, and the token is never shown', async () => {
    const { repo } = await httpRemote({ authorization: BASIC });
    const lines = [];
    const note = (...parts) => lines.push(parts.map(String).join(' '));
    const logger = { debug: note, info: note, warn: note, error: note };
    const { rootDir } = await createKernel();
    const config = { rootDir, git: { repo: repo.replace('://', '://me@'), auth: { token: `${TOKEN}_wrong` } } };
    const kernel = new TGP({ config, logger });
    expect(JSON.stringify(kernel.config)).not.toContain(TOKEN);
    const error = await kernel.boot().catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'ERR_GIT', message: expect.stringContaining('git.auth.token') });
    lines.push(`${error.message} ${error.stack} ${JSON.stringify(error.details)}`);
    await kernel.shutdown();

    const good = new TGP({ config: { rootDir, git: { repo, auth: { token: TOKEN } } }, logger });
    onTestFinished(() => good.shutdown());
    await tgpTools(good).write_file.execute({ path: 'tools/a.ts', content: 'return JSON.stringify(tgp)' });
    expect(good.config).toMatchObject({ git: { auth: { token: '[hidden]' } } });
    lines.push(JSON.stringify(good.config));
    const { result } = await good.exec('tools/a.ts');
    lines.push(String(result));
    for (const line of lines) expect(line).not.toContain(TOKEN);
    await good.shutdown();
    for (const [path, text] of Object.entries(filesOf(join(rootDir, '.git')))) {
      expect(text.includes(TOKEN), path).toBe(false);
    }
  });
});

describe('a remote with a failure', () => {
  it('status 500: the write stays local and is pushed later', async () => {
    let broken = false;
    const { remote, repo } = await httpRemote({
      before: (_, response) => {
        if (broken) response.writeHead(503).end();
        return broken;
      },
    });
    const { kernel, tools } = await createKernel({ git: { repo } });
    await tools.write_file.execute({ path: 'tools/a.ts', content: '1' });
    broken = true;
    expect(await tools.write_file.execute({ path: 'tools/b.ts', content: '2' })).toMatchObject({ persisted: 'local' });
    broken = false;
    await kernel.sync();
    expect(git(remote, 'rev-list', '--count', 'main')).toBe('2');
  });

  it('a declined push: the reason of the hook reaches the agent', async () => {
    const { remote, repo } = await httpRemote();
    writeFileSync(join(remote, 'hooks/update'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { tools } = await createKernel({ git: { repo } });
    expect(await tools.write_file.execute({ path: 'tools/a.ts', content: '1' })).toMatchObject({
      persisted: 'local',
      problem: expect.stringContaining('hook declined'),
    });
  });

  it('a server without Git: boot fails with the reason', async () => {
    const { repo } = await httpRemote({
      before: (_, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
        return true;
      },
    });
    const { kernel } = await createKernel({ git: { repo } });
    await expect(kernel.boot()).rejects.toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringContaining('does not lead to a Git repository'),
    });
  });

  it('a redirect to another host or port receives neither the request nor the token', async () => {
    const seen = [];
    const other = await gitHttpServer('/', {
      before: (request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(404).end();
        return true;
      },
    });
    for (const target of [other.url, other.url.replace('127.0.0.1', 'localhost')]) {
      for (const method of ['GET', 'POST']) {
        const { folder, remote, repo } = await httpRemote({
          before: (request, response) => {
            if (request.method !== method) return false;
            response.writeHead(307, { location: `${target}${request.url}` }).end();
            return true;
          },
        });
        const work = clone(folder, remote);
        git(work, 'commit', '-q', '--allow-empty', '-m', 'start');
        git(work, 'push', '-q', 'origin', 'HEAD:main');
        const { kernel } = await createKernel({ git: { repo, auth: { token: TOKEN } } });
        await expect(kernel.boot()).rejects.toMatchObject({
          code: 'ERR_GIT',
          message: expect.stringContaining(`redirects to ${target}`),
        });
      }
    }
    expect(seen).toEqual([]);
  });

  it('a redirect on the same server is followed for reads and writes', async () => {
    const { folder, remote, url } = await httpRemote({
      before: (request, response) => {
        if (!request.url?.startsWith('/old.git')) return false;
        response.writeHead(301, { location: request.url.replace('/old.git', '/remote.git') }).end();
        return true;
      },
      authorization: BASIC,
    });
    const { tools } = await createKernel({ git: { repo: `${url}/old.git`, auth: { token: TOKEN } } });
    expect((await tools.write_file.execute({ path: 'tools/a.ts', content: '1' })).persisted).toBe(true);
    expect(filesOf(clone(folder, remote))).toEqual({ 'tools/a.ts': '1' });
  });

  it('a token is not sent over plain http', async () => {
    const { kernel } = await createKernel({ git: { repo: 'http://git.example.org/a/b', auth: { token: TOKEN } } });
    await expect(kernel.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringContaining('https'),
    });
  });
});
