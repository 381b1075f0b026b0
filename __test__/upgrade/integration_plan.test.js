/** The integration test plan of the TypeScript package, line by line. Its end-to-end plan is `__test__/e2e/`. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { sqlite } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const HELLO = 'export default () => "hello";\n';

describe('Git', () => {
  it('the boot fetches a tool that a person pushed', async () => {
    const { folder, remote } = await bareRemote();
    const work = clone(folder, remote);
    await mkdir(join(work, 'tools'));
    await writeFile(join(work, 'tools/hello.ts'), HELLO);
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'hello');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { kernel, tools, rootDir } = await createKernel({ git: { repo: remote } });
    await kernel.boot();
    expect(await readFile(join(rootDir, 'tools/hello.ts'), 'utf8')).toBe(HELLO);
    expect(await tools.read_file.execute({ path: 'tools/hello.ts' })).toBe(HELLO);
  });

  it('a tool that the kernel wrote is a commit in the remote, with its message', async () => {
    const { remote } = await bareRemote();
    const { kernel, tools } = await createKernel({ git: { repo: remote } });
    await tools.write_file.execute({ path: 'tools/new.ts', content: HELLO });
    await kernel.sync();
    expect(git(remote, 'log', '--format=%s', 'main')).toContain('Forge: tools/new.ts');
  });

  it('concurrent writes of two agents are both kept', async () => {
    const { remote } = await bareRemote();
    const agents = await Promise.all([1, 2].map(() => createKernel({ git: { repo: remote } })));
    await Promise.all(
      agents.map(async ({ kernel, tools }, index) => {
        await tools.write_file.execute({ path: `tools/tool_${index}.ts`, content: HELLO });
        await kernel.sync();
      }),
    );
    expect(git(remote, 'ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual(
      expect.arrayContaining(['tools/tool_0.ts', 'tools/tool_1.ts']),
    );
  });
});

describe('host calls', () => {
  it('a tool reads a data file of the root', async () => {
    const { tools, forge } = await createKernel();
    await tools.write_file.execute({ path: 'data.json', content: '{"answer":42}' });
    expect((await forge("return JSON.parse(tgp.read_file('data.json'))")).result).toEqual({ answer: 42 });
  });

  it.each([
    ["import multiply from './multiplier';\nexport default (args: { a: number; b: number }) => multiply(args);"],
    ["const multiply = require('./multiplier').default;\nmodule.exports = (args: any) => multiply(args);"],
    ["export default (args: object) => tgp.exec_tool('tools/multiplier.ts', args);"],
  ])('a tool uses another tool: %s', async (content) => {
    const { tools } = await createKernel();
    const multiplier = 'export default (args: { a: number; b: number }) => args.a * args.b;';
    await tools.write_file.execute({ path: 'tools/multiplier.ts', content: multiplier });
    await tools.write_file.execute({ path: 'tools/calculator.ts', content });
    const args = { a: 6, b: 7 };
    expect(await tools.exec_tool.execute({ path: 'tools/calculator.ts', args })).toMatchObject({
      success: true,
      result: 42,
    });
  });
});

describe('SQL', () => {
  /** A real database file with an empty table. */
  async function users() {
    const file = join(await tempRoot(), 'test.db');
    const database = new Database(file);
    database.exec('CREATE TABLE users (name TEXT)');
    database.close();
    const { kernel, forge } = await sqlKernel(sqlite({ file }));
    return { kernel, forge, count: await forge('return (await tgp.exec_sql("SELECT count(*) AS n FROM users"))[0].n') };
  }

  it('a tool reads and writes rows', async () => {
    const { forge } = await users();
    const add = await forge('return tgp.exec_sql("INSERT INTO users VALUES (?)", [args.name])');
    await add({ name: 'Ada' });
    const list = await forge('return tgp.exec_sql("SELECT * FROM users")');
    expect((await list()).result).toEqual([{ name: 'Ada' }]);
  });

  it('the writes of a tool that throws are rolled back', async () => {
    const { forge, count } = await users();
    const boom = await forge(`await tgp.exec_sql("INSERT INTO users VALUES ('x')"); throw new Error('Boom')`);
    await expect(boom()).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN', message: expect.stringContaining('Boom') });
    expect((await count()).result).toBe(0);
  });
});
