/** Repositories of others, as an application may ingest them. Nothing in them is run or followed. */

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { gitProject } from '../helpers/git_project.js';

const FILES = 'MATCH (f:File) RETURN f.path AS path';

describe('a hostile repository', () => {
  test('runs no hook, filter or driver, and its configuration is not read', async () => {
    const { kernel } = await createKernel();
    const project = await gitProject({ 'a.ts': '1;\n', '.gitattributes': '* filter=evil diff=evil\n' });
    const proof = join(project.path, 'proof');
    const git = join(project.path, '.git');
    const script = `#!/bin/sh\ntouch ${proof}\n`;
    for (const hook of ['post-checkout', 'fsmonitor', 'reference-transaction', 'pre-auto-gc']) {
      writeFileSync(join(git, 'hooks', hook), script);
      chmodSync(join(git, 'hooks', hook), 0o755);
    }
    execFileSync('mkfifo', [join(project.path, 'pipe')]);
    writeFileSync(
      join(git, 'config'),
      `[include]\n\tpath = ${join(project.path, 'pipe')}\n[core]\n\tfsmonitor = touch ${proof}\n\tsshCommand = touch ${proof}\n\tworktree = /\n` +
        `[filter "evil"]\n\tsmudge = touch ${proof}\n\tclean = touch ${proof}\n[diff "evil"]\n\tcommand = touch ${proof}\n[extensions]\n\tobjectFormat = odd\n`,
    );
    await kernel.graph.ingest({ projectPath: project.path });
    const { results } = await kernel.graph.query(FILES, {}, { root: project.path });
    expect(results).toEqual([{ path: '.gitattributes' }, { path: 'a.ts' }]);
    expect(existsSync(proof)).toBe(false);
  });

  test('special files, links and alternates in its folder are refused without blocking', async () => {
    const { kernel } = await createKernel();
    for (const [name, code] of [
      ['HEAD', /ERR_(GIT|NOT_FOUND)/],
      ['packed-refs', /ERR_GIT/],
      ['objects/info/alternates', /ERR_GIT/],
      ['shallow', /ERR_GIT/],
    ]) {
      const project = await gitProject({ 'a.ts': '1;\n' });
      const file = join(project.path, '.git', /** @type {string} */ (name));
      rmSync(file, { force: true });
      execFileSync('mkfifo', [file]);
      await expect(kernel.graph.ingest({ projectPath: project.path }), String(name)).rejects.toMatchObject({
        code: expect.stringMatching(code),
      });
    }
    const other = await gitProject({ 'secret.ts': '1;\n' });
    const borrower = await gitProject({ 'a.ts': '1;\n' });
    mkdirSync(join(borrower.path, '.git/objects/info'), { recursive: true });
    writeFileSync(join(borrower.path, '.git/objects/info/alternates'), `${join(other.path, '.git/objects')}\n`);
    await expect(kernel.graph.ingest({ projectPath: borrower.path })).rejects.toMatchObject({ code: 'ERR_GIT' });
  });

  test('links, submodules and deep folders are skipped or refused', async () => {
    const { kernel } = await createKernel();
    const project = await gitProject({ 'a.ts': '1;\n' });
    symlinkSync('/etc/passwd', join(project.path, 'link.ts'));
    project.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
    project.git('add', 'link.ts');
    project.git('commit', '-q', '-m', 'odd entries');
    await kernel.graph.ingest({ projectPath: project.path });
    expect((await kernel.graph.query(FILES, {}, { root: project.path })).results).toEqual([{ path: 'a.ts' }]);
    // A tree of 600 folders in each other.
    const empty = execFileSync('git', ['-C', project.path, 'hash-object', '-w', '--stdin'], { input: 'x' })
      .toString()
      .trim();
    let tree = execFileSync('git', ['-C', project.path, 'mktree'], { input: `100644 blob ${empty}\tx\n` })
      .toString()
      .trim();
    for (let depth = 0; depth < 600; depth++) {
      tree = execFileSync('git', ['-C', project.path, 'mktree'], { input: `040000 tree ${tree}\td\n` })
        .toString()
        .trim();
    }
    const deep = project.git('commit-tree', '-m', 'deep', tree);
    await expect(kernel.graph.ingest({ projectPath: project.path, commitHash: deep })).rejects.toMatchObject({
      code: 'ERR_LIMIT',
    });
  });

  test('sources that cannot be parsed have no links, and names stay data', async () => {
    const { kernel } = await createKernel();
    const project = await gitProject({
      'broken.ts': 'export default (',
      'deep.ts': `${'('.repeat(100_000)}`,
      'quote\'".ts': "import './a<b>.ts';\n",
      'a<b>.ts': '1;\n',
      'large.ts': `// ${'x'.repeat(3 << 20)}\nimport './broken.ts';\n`,
    });
    await kernel.graph.ingest({ projectPath: project.path });
    const scope = { root: project.path };
    const links = await kernel.graph.query(
      'MATCH (a:File)-[:IMPORTS]->(b:File) RETURN a.path AS a, b.path AS b',
      {},
      scope,
    );
    expect(links.results).toEqual([{ a: 'quote\'".ts', b: 'a<b>.ts' }]);
    const svg = await kernel.graph.picture({ ...scope, format: 'svg', path: 'a<b>.ts' });
    expect(svg).toContain('a&lt;b&gt;.ts');
    expect(svg).not.toContain('a<b>');
  });
});
