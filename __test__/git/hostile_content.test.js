import { chmodSync, existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { tempRoot } from '../helpers/temp_root.js';

/** Adds an entry to the index that no checkout would create. */
function stage(work, mode, content, path) {
  writeFileSync(join(work, '.git/blob'), content);
  const id = mode === '160000' ? content : git(work, 'hash-object', '-w', join(work, '.git/blob'));
  git(work, 'update-index', '--add', '--cacheinfo', `${mode},${id},${path}`);
}

describe('a hostile remote', () => {
  it('cannot use links, submodules, hooks or filters', async () => {
    const outside = await tempRoot();
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    const { folder, remote } = await bareRemote();
    const work = clone(folder, remote);
    writeFileSync(join(work, 'good.txt'), 'good\r\n');
    writeFileSync(join(work, '.gitattributes'), '*.txt filter=evil text eol=crlf ident\n* filter=evil\n');
    writeFileSync(
      join(work, '.gitmodules'),
      `[submodule "m"]\n\tpath = m\n\turl = ${outside}\n\tupdate = !touch ${outside}/run\n`,
    );
    writeFileSync(join(work, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(work, 'run.sh'), 0o755);
    git(work, 'add', '-A');
    stage(work, '120000', outside, 'link');
    stage(work, '120000', join(outside, 'secret.txt'), 'tools/secret.ts');
    stage(work, '160000', '1'.repeat(40), 'm');
    stage(work, '100644', 'x', 'CON');
    stage(work, '100644', 'x', 'tools/.tgp-tmp-1');
    git(work, 'commit', '-q', '-m', 'hostile');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    writeFileSync(join(remote, 'hooks/post-receive'), `#!/bin/sh\ntouch ${outside}/hook\n`);
    chmodSync(join(remote, 'hooks/post-receive'), 0o755);

    const { tools, rootDir } = await createKernel({ git: { repo: remote } });
    expect(await tools.list_files.execute({ dir: '.' })).toEqual([
      '.gitattributes',
      '.gitmodules',
      'good.txt',
      'run.sh',
    ]);
    expect(readFileSync(join(rootDir, 'good.txt'), 'utf8')).toBe('good\n');
    for (const path of ['link', 'tools/secret.ts', 'm', 'CON'])
      expect(existsSync(join(rootDir, path)), path).toBe(false);
    expect(lstatSync(join(rootDir, 'run.sh')).mode & 0o111).toBe(0);
    await expect(tools.read_file.execute({ path: 'tools/secret.ts' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    await expect(tools.read_file.execute({ path: 'link/secret.txt' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    expect(git(rootDir, 'status', '--porcelain')).toBe('');

    expect((await tools.write_file.execute({ path: 'tools/a.ts', content: 'return 1' })).persisted).toBe(true);
    expect(git(remote, 'ls-tree', 'main', 'link', 'm', 'CON').split('\n')).toHaveLength(3);
    expect(git(rootDir, 'status', '--porcelain')).toBe('');
    for (const trace of ['run', 'hook']) expect(existsSync(join(outside, trace)), trace).toBe(false);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('does not write through a link in the root', async () => {
    const outside = await tempRoot();
    const { folder, remote } = await bareRemote();
    const work = clone(folder, remote);
    git(work, 'commit', '-q', '--allow-empty', '-m', 'start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { kernel, rootDir } = await createKernel({ git: { repo: remote } });
    await kernel.boot();
    symlinkSync(outside, join(rootDir, 'tools'));
    stage(work, '100644', 'x', 'tools/x.ts');
    git(work, 'commit', '-q', '-m', 'through the link');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    await kernel.git.hydrate();
    expect(existsSync(join(outside, 'x.ts'))).toBe(false);
  });

  it('cannot use names that lead out of the root', async () => {
    const { folder, remote } = await bareRemote();
    const work = clone(folder, remote);
    writeFileSync(join(work, 'ok.txt'), 'ok');
    git(work, 'add', '-A');
    const blob = git(work, 'hash-object', '-w', join(work, 'ok.txt'));
    const tree = git(work, 'write-tree');
    const raw = Buffer.concat([
      ...['..', '.git'].flatMap((name) => [Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]),
    ]);
    writeFileSync(join(work, '.git/raw'), raw);
    const evil = git(work, 'hash-object', '-t', 'tree', '-w', '--literally', join(work, '.git/raw'));
    const commit = git(work, 'commit-tree', '-m', 'evil', evil);
    git(work, 'push', '-q', 'origin', `${git(work, 'commit-tree', '-m', 'ok', tree)}:refs/heads/main`);
    git(remote, 'config', 'receive.fsckObjects', 'false');
    git(work, 'push', '-q', '--force', 'origin', `${commit}:refs/heads/main`);
    const { kernel, tools, rootDir } = await createKernel({ git: { repo: remote } });
    await kernel.boot().catch(() => {});
    expect(existsSync(join(rootDir, '..', 'ok.txt'))).toBe(false);
    expect(lstatSync(join(rootDir, '.git')).isDirectory()).toBe(true);
    expect(await tools.list_files.execute({ dir: '.' }).catch(() => [])).toEqual([]);
  });
});
