import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { gitHttpServer } from '../helpers/git_http_server.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';

/** The limit of one exchange with the remote. */
const TIMEOUT_MS = 2_000;
const WRITES = 6;
/** Far below the default timeout of half a minute. */
const SOON_MS = 15_000;

/** A logger and its warnings. */
function warningLogger() {
  const lines = /** @type {string[]} */ ([]);
  const warn = (/** @type {string} */ message) => void lines.push(message);
  return { lines, logger: { debug() {}, info() {}, error() {}, warn } };
}

describe('a remote that connects and never answers', () => {
  it('delays only one write: later writes are local, one warning reports it, and all are pushed when it answers', async () => {
    const { folder, remote } = await bareRemote();
    git(remote, 'config', 'http.receivepack', 'true');
    let isSilent = false;
    let unanswered = 0;
    const before = () => {
      unanswered += Number(isSilent);
      return isSilent;
    };
    const repo = `${(await gitHttpServer(folder, { before })).url}/remote.git`;
    const { lines, logger } = warningLogger();
    const { tools, rootDir } = await createKernel({ git: { repo, timeoutMs: TIMEOUT_MS } }, { logger });
    const write = (/** @type {string} */ name) =>
      tools.write_file.execute({ path: `tools/${name}.ts`, content: `return '${name}'` });
    expect(await write('before')).toMatchObject({ persisted: true });

    isSilent = true;
    const otherLog = warningLogger();
    const other = await createKernel({ rootDir, git: { repo } }, { logger: otherLog.logger });
    const begun = performance.now();
    const booting = other.kernel.boot().then(() => performance.now() - begun);
    expect(await write('first')).toMatchObject({ persisted: 'local' });
    const known = unanswered;
    for (let index = 0; index < WRITES; index++) {
      expect(await write(`w${index}`)).toMatchObject({
        success: true,
        persisted: 'local',
        problem: expect.stringContaining('pushed later'),
      });
    }
    // Both kernels may have retried in the background, but the writes have not.
    expect(unanswered - known).toBeLessThan(WRITES);
    expect(lines).toEqual([expect.stringMatching(/cannot be reached.*in the background/)]);

    expect(await booting).toBeLessThan(SOON_MS);
    expect(otherLog.lines).toEqual([expect.stringContaining('Started from the local copy')]);
    await other.kernel.shutdown({ pushTimeoutMs: 0 });

    isSilent = false;
    await expect.poll(() => git(remote, 'log', '--format=%s', 'main')).toContain(`Forge: tools/w${WRITES - 1}.ts`);
    await expect.poll(() => lines.slice(1)).toEqual([expect.stringContaining('answers again')]);
    expect(await write('after')).toMatchObject({ persisted: true });
    expect(git(remote, 'rev-parse', 'main')).toBe(git(rootDir, 'rev-parse', 'HEAD'));
    expect(lines).toHaveLength(2);
  });

  it('delays a write for seconds only, and a kernel that booted meanwhile fetches later pushes when it answers', async () => {
    const { folder, remote } = await bareRemote();
    git(remote, 'config', 'http.receivepack', 'true');
    let isSilent = false;
    const repo = `${(await gitHttpServer(folder, { before: () => isSilent })).url}/remote.git`;
    const { kernel, tools, rootDir } = await createKernel({ git: { repo } });
    const write = (/** @type {string} */ name) =>
      tools.write_file.execute({ path: `tools/${name}.ts`, content: `return '${name}'` });
    expect(await write('before')).toMatchObject({ persisted: true });
    const copy = join(folder, 'copy');
    cpSync(rootDir, copy, { recursive: true });

    isSilent = true;
    const begun = performance.now();
    const written = write('first').then(({ persisted }) => [persisted, performance.now() - begun]);
    const other = await createKernel({ rootDir: copy, git: { repo, timeoutMs: TIMEOUT_MS } });
    await other.kernel.boot();
    const [persisted, tookMs] = await written;
    expect(persisted).toBe('local');
    expect(tookMs).toBeLessThan(SOON_MS);
    await kernel.shutdown({ pushTimeoutMs: 0 });

    const person = clone(folder, remote);
    writeFileSync(join(person, 'tools/theirs.ts'), "return 'theirs'");
    git(person, 'add', '.');
    git(person, 'commit', '-q', '-m', 'Theirs');
    git(person, 'push', '-q', 'origin', 'HEAD:main');
    isSilent = false;
    await expect.poll(() => existsSync(join(copy, 'tools/theirs.ts')), { timeout: SOON_MS }).toBe(true);
    expect((await other.kernel.exec('tools/theirs.ts')).result).toBe('theirs');
  });
});
