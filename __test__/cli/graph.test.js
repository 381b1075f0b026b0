import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { cliWorkspace } from '../helpers/cli_workspace.js';
import { gitProject } from '../helpers/git_project.js';

const FILES = {
  'tools/math/double.ts': '/** Doubles. */\nexport const double = (n: number) => n * 2;\n',
  'tools/use.ts':
    "import { double } from './math/double.ts';\n/** Uses. */\nexport default (args: { n: number }) => double(args.n);\n",
};

describe('tgp graph', () => {
  test('answers questions about the workspace, by short names of tools', async () => {
    const folder = await cliWorkspace(FILES);
    const graph = (/** @type {string[]} */ ...args) => runCli(folder, ['graph', ...args]);
    const query = 'MATCH (t:Tool {path: $path}) RETURN t.description AS about';
    const asked = await graph('query', query, '--args', '{"path":"tools/use.ts"}', '--json');
    expect(asked.json()).toEqual([{ about: 'Uses.' }]);
    expect((await graph('query', 'MATCH (t:Tool) RETURN t.path AS path')).stdout).toBe(
      'path: tools/math/double.ts\npath: tools/use.ts\n2 rows\n',
    );
    const impact = await graph('impact', 'math/double');
    expect(impact.stdout).toContain('imported by\n  tools/use.ts\n');
    const history = await graph('history', 'use');
    expect(history.stdout).toMatch(/^[0-9a-f]{7} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}added {5}tools\/use\.ts/);
    expect((await graph('picture')).stdout).toMatch(/^flowchart LR\n/);
    expect(await graph('picture', 'use', '--as', 'svg', '-o', 'use.svg')).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(join(folder, 'use.svg'), 'utf8')).toMatch(/^<svg /);
    expect(await graph('impact', 'none')).toMatchObject({ code: 1, stderr: expect.stringContaining('never did') });
    expect(await graph('query', 'MATCH (f:File) DELETE f')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Line 1'),
    });
  });

  test('answers questions about another repository', async () => {
    const folder = await cliWorkspace(FILES);
    const project = await gitProject({ 'src/a.ts': '1;\n' });
    const { code, stdout } = await runCli(folder, [
      'graph',
      'query',
      'MATCH (f:File) RETURN f.path AS path',
      '--root',
      project.path,
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ path: 'src/a.ts' }]);
  });
});
