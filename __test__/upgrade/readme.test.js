/** The statements of the TypeScript package's README, one by one. */

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateText, stepCountIs } from 'ai';
import * as test from 'ai/test';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { forgeServer } from '../helpers/forge_server.js';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { serveHttp } from '../helpers/http_server.js';
import { applicationWithMemory, hasWeights } from '../helpers/memory_model.js';
import { tempRoot } from '../helpers/temp_root.js';
import { scriptedModel } from '../sdk/scripted_models.js';

/**
 * A database with customers, some of them in "Ohiio".
 * @returns {Promise<{ file: string, rows: (sql: string) => unknown[] }>}
 */
async function customers() {
  const file = join(await tempRoot(), 'app.db');
  const database = new Database(file);
  onTestFinished(() => {
    database.close();
  });
  database.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, state TEXT, active INTEGER, downgraded TEXT);
    INSERT INTO users VALUES (1, 'Ada', 'Ohiio', 1, '2026-06-03'), (2, 'Bob', 'Ohiio', 0, NULL), (3, 'Cyd', 'Utah', 1, '2026-06-30')`);
  return { file, rows: (sql) => database.prepare(sql).all() };
}

/**
 * A kernel with that database, and a function that forges and runs a tool.
 * @param {string} file
 */
async function withDatabase(file) {
  const { tools, kernel } = await createKernel({}, { sql: sqlite({ file }) });
  return {
    kernel,
    tools,
    /** @param {string} path @param {string} content @param {object} [args] */
    forge: async (path, content, args = {}) => {
      await tools.write_file.execute({ path, content });
      return tools.exec_tool.execute({ path, args });
    },
  };
}

describe('1.1 Use cases', () => {
  it('reporting: users who downgraded in a month, pipe-delimited', async () => {
    const { file } = await customers();
    const { forge } = await withDatabase(file);
    const report = `/** Users who downgraded in a month, one line each. */
    export default async function (args: { month: string; separator: string }): Promise<string> {
      const rows = await tgp.exec_sql<{ id: number; name: string }>('SELECT id, name FROM users WHERE downgraded LIKE ? ORDER BY id', [args.month + '-%']);
      return rows.map((row) => [row.id, row.name].join(args.separator)).join('\\n');
    }`;
    const ran = await forge('tools/reports/downgrade.ts', report, { month: '2026-06', separator: '|' });
    expect(ran).toMatchObject({ success: true, result: '1|Ada\n3|Cyd' });
  });

  it('cleanup: a typo is fixed for active users only, in one atomic update', async () => {
    const { file, rows } = await customers();
    const { forge } = await withDatabase(file);
    const fix = `export default (args: { from: string; to: string }) =>
      tgp.exec_sql('UPDATE users SET state = ? WHERE state = ? AND active = 1', [args.to, args.from]);`;
    const ran = await forge('tools/maintenance/fix_typo.ts', fix, { from: 'Ohiio', to: 'Ohio' });
    expect(ran).toMatchObject({ success: true, result: [{ affected: 1 }] });
    expect(rows('SELECT state FROM users ORDER BY id')).toEqual([
      { state: 'Ohio' },
      { state: 'Ohiio' },
      { state: 'Utah' },
    ]);
  });

  it('logic: dimensional weight, with the same result every time', async () => {
    const { forge } = await createKernel();
    const source =
      'export default (args: { l: number; w: number; h: number; divisor: number }) => (args.l * args.w * args.h) / args.divisor;';
    const args = { l: 10, w: 20, h: 30, divisor: 139 };
    expect((await forge(source, args)).result).toBe(6000 / 139);
    expect((await forge(source, args)).result).toBe(6000 / 139);
  });
});

describe('1.2 Not a server, not a browser', () => {
  it.each(['document', 'window', 'process', 'Bun', 'Deno', 'XMLHttpRequest', 'WebSocket'])(
    'a tool has no %s',
    async (name) => {
      const { forge } = await createKernel();
      expect((await forge(`return typeof globalThis[${JSON.stringify(name)}]`)).result).toBe('undefined');
    },
  );
});

describe('2 Architecture', () => {
  it('the root is a Git repository with tools/ and meta.json, and the registry finds forged tools', async () => {
    const { tools, rootDir } = await createKernel();
    const content = '/** Revenue as CSV. */\nexport default (args: { rows: number[] }) => args.rows.join(",");\n';
    await tools.write_file.execute({ path: 'tools/reports/revenue_csv.ts', content });
    expect(git(rootDir, 'ls-files').split('\n')).toEqual(['meta.json', 'tools/reports/revenue_csv.ts']);
    expect(await readFile(join(rootDir, 'meta.json'), 'utf8')).toContain('tools/reports/revenue_csv.ts');
    const [found] = await tools.find_tool.execute({ query: 'revenue csv' });
    expect(found?.path).toBe('tools/reports/revenue_csv.ts');
  });

  it('boot fetches pushed tools, and a forged tool is pushed', async () => {
    const { folder, remote } = await bareRemote();
    const config = { git: { repo: remote } };
    const first = await createKernel(config);
    await first.tools.write_file.execute({ path: 'tools/a.ts', content: 'export default () => 1;' });
    await first.kernel.shutdown();
    const work = clone(folder, remote);
    await writeFile(join(work, 'tools/b.ts'), 'export default () => 2;');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'b');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const second = await createKernel({ ...config, rootDir: first.rootDir });
    expect(await second.tools.list_files.execute({ dir: 'tools' })).toEqual(['tools/a.ts', 'tools/b.ts']);
  });

  it('in a tool /lib is the read-only folder of tools, and /tmp a scratch folder of the run', async () => {
    const { tools, forge } = await createKernel();
    await tools.write_file.execute({ path: 'tools/part.ts', content: 'export const part = 1;' });
    const { result } = await forge(`
      tgp.write_file('/tmp/x.txt', 'kept for this run');
      let refused; try { tgp.write_file('/lib/part.ts', ''); } catch (error: any) { refused = error.code; }
      return [tgp.read_file('/lib/part.ts'), tgp.read_file('/tmp/x.txt'), refused];`);
    expect(result).toEqual(['export const part = 1;', 'kept for this run', 'ERR_SECURITY_VIOLATION']);
    await expect(forge("return tgp.read_file('/tmp/x.txt')")).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  });

  it('an agent gets the seven tools of the table', async () => {
    const { kernel } = await createKernel();
    const tools = { ...tgpTools(kernel), ...createSqlTools(async () => []) };
    for (const name of ['list_files', 'read_file', 'write_file', 'patch_file', 'check_tool', 'exec_tool', 'exec_sql']) {
      expect(tools).toHaveProperty([name, 'execute']);
    }
  });
});

describe('3 The protocol', () => {
  it('find_tool finds a matching tool with a score above 0.85', async () => {
    const { tools } = await createKernel();
    const content =
      '/** Convert an amount between currencies. */\nexport default (args: { amount: number; rate: number }) => args.amount * args.rate;';
    await tools.write_file.execute({ path: 'tools/money/convert_currency.ts', content });
    const [found] = await tools.find_tool.execute({ query: 'convert an amount between currencies' });
    expect(found).toMatchObject({ path: 'tools/money/convert_currency.ts' });
    expect(found?.score).toBeGreaterThan(0.85);
  });

  it("find_tool finds the tools of README's requests again, whatever values the requests have", async () => {
    const { kernel, tools } = await createKernel({ memory: 'off' });
    for (const [path, description, type] of /** @type {const} */ ([
      ['tools/maintenance/fix_typo.ts', 'Fix a typo in the names of active users.', '{ wrong: string; right: string }'],
      ['tools/shipping/dim_weight.ts', 'Dimensional weight of boxes.', '{ boxes: number[]; divisor: number }'],
      ['tools/reports/downgrade.ts', 'Users who downgraded in a month, one line each.', '{ month: string }'],
    ])) {
      await kernel.tools.write(path, `/** ${description} */\nexport default (args: ${type}) => args;\n`);
    }
    for (const [query, path] of [
      ["Fix typo in 'Ohiio' for active users.", 'tools/maintenance/fix_typo.ts'],
      ['Calculate dimensional weight `(L*W*H)/139`.', 'tools/shipping/dim_weight.ts'],
      ['What is the dimensional weight of a 40×40×50 box at divisor 139?', 'tools/shipping/dim_weight.ts'],
      ['Users who downgraded in June, one line each', 'tools/reports/downgrade.ts'],
    ]) {
      const [found] = await tools.find_tool.execute({ query });
      expect(found, query).toMatchObject({ path });
      expect(found?.score, query).toBeGreaterThan(0.85);
    }
  });

  it.skipIf(!hasWeights)('with an embedding model also in other words', async () => {
    const { kernel, tools } = await applicationWithMemory();
    const source = (/** @type {string} */ text) =>
      `/** ${text} */\nexport default (args: { month: string }) => args;\n`;
    await kernel.tools.write(
      'tools/reports/downgrade.ts',
      source('List the users who downgraded in a given month, with a delimiter.'),
    );
    await kernel.tools.write('tools/reports/revenue_csv.ts', source('Revenue of a given month.'));
    await kernel.registry.remember();
    const [found] = await tools.find_tool.execute({ query: 'List users who downgraded in June, pipe-delimited.' });
    expect(found).toMatchObject({ path: 'tools/reports/downgrade.ts' });
    expect(found?.score).toBeGreaterThan(0.85);
  });

  it.each([
    [
      '1 Abstract, 7 No hardcoded values',
      'const tax = 0.05;\nexport default (args: { net: number }) => args.net * tax;',
    ],
    [
      '3 Functional',
      'export default (args: { n: number[] }) => { let sum = 0; for (let i = 0; i < args.n.length; i++) sum += args.n[i]; return sum; };',
    ],
    ['4 Stateless', 'let cache = {};\nexport default (args: { k: string }) => (cache[args.k] ??= args.k);'],
    ['6 General by parameters', "export default (args: { to: string }) => args.to === 'bob@example.com';"],
  ])('the linter reports a violation of %s', async (_standard, content) => {
    const { tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/breach.ts', content });
    const { diagnostics } = await tools.check_tool.execute({ path: 'tools/breach.ts' });
    expect(diagnostics.filter(({ standard }) => standard !== undefined)).not.toEqual([]);
  });

  it('8 Orchestrator capable: a tool requires another one', async () => {
    const { tools, forge } = await createKernel();
    await tools.write_file.execute({ path: 'tools/test/part.ts', content: 'export default (n: number) => n + 1;' });
    expect((await forge("const part = require('./part');\nreturn part.default(args.n);", { n: 1 })).result).toBe(2);
  });

  it('a failed run can be read, patched, checked and run again', async () => {
    const { tools } = await createKernel();
    const path = 'tools/heal.ts';
    const content = 'export default (args: { name?: string }) => args.user.name.toUpperCase();';
    await tools.write_file.execute({ path, content });
    const failed = await tools.exec_tool.execute({ path, args: { name: 'ada' } });
    expect(failed).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN', line: 1 });
    await tools.patch_file.execute({
      path,
      search: 'args.user.name.toUpperCase()',
      replace: "(args.name ?? '').toUpperCase()",
    });
    expect(await tools.check_tool.execute({ path })).toMatchObject({ valid: true });
    expect(await tools.exec_tool.execute({ path, args: { name: 'ada' } })).toMatchObject({
      success: true,
      result: 'ADA',
    });
  });
});

describe('4 Security', () => {
  it('no process, no fs, no eval', async () => {
    const { forge } = await createKernel();
    expect((await forge('return [typeof globalThis["process"], typeof globalThis["fs"]]')).result).toEqual([
      'undefined',
      'undefined',
    ]);
    await expect(forge('return (0, globalThis["ev" + "al"])("1")')).rejects.toMatchObject({ name: 'ToolError' });
    await expect(forge('return require("fs")')).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });

  it('the default limits are 64 MB and 50 ms', async () => {
    const { kernel } = await createKernel();
    await kernel.boot();
    expect(kernel.config).toMatchObject({ sandbox: { memoryMb: 64, timeoutMs: 50 } });
  });

  it('all writes of a tool are one transaction', async () => {
    const { file, rows } = await customers();
    const { forge } = await withDatabase(file);
    const ran = await forge(
      'tools/half.ts',
      `await tgp.exec_sql('DELETE FROM users WHERE id = 1');\nawait tgp.exec_sql('DELETE FROM users WHERE id = 2');\nthrow new Error('no');`,
    );
    expect(ran).toMatchObject({ success: false, code: 'ERR_TOOL_THROWN' });
    expect(rows('SELECT id FROM users')).toHaveLength(3);
  });

  it('only listed addresses can be fetched', async () => {
    const { url } = await serveHttp((_request, response) => response.end('here'));
    const closed = await createKernel();
    await expect(closed.forge('return (await fetch(args.url)).text()', { url })).rejects.toMatchObject({
      message: expect.stringContaining('Network access is disabled'),
    });
    const open = await createKernel({ allowedFetchUrls: [url] });
    expect((await open.forge('return (await fetch(args.url)).text()', { url })).result).toBe('here');
  });
});

describe('6 Governance', () => {
  it('god mode pushes to main', async () => {
    const { remote } = await bareRemote();
    const { tools } = await createKernel({ git: { repo: remote, writeStrategy: 'direct' } });
    await tools.write_file.execute({ path: 'tools/x.ts', content: 'export default () => 1;' });
    expect(git(remote, 'ls-tree', '-r', '--name-only', 'main')).toContain('tools/x.ts');
  });

  it('gatekeeper mode opens a pull request and leaves main unchanged', async () => {
    const server = await forgeServer('github');
    const work = clone(server.folder, server.remote);
    await writeFile(join(work, 'README.md'), 'tools');
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '-m', 'Start');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const { tools } = await createKernel({ git: { ...server.config, writeStrategy: 'pr' } });
    const done = await tools.write_file.execute({ path: 'tools/x.ts', content: 'export default () => 1;' });
    expect(done).toMatchObject({ persisted: true, pullRequest: { number: 1 } });
    expect(git(server.remote, 'ls-tree', '-r', '--name-only', 'main')).toBe('README.md');
    expect(git(server.remote, 'branch', '--format=%(refname:short)')).toMatch(/^tgp\/feat-/m);
  });
});

describe('7 Integration', () => {
  it('tgp init creates a config', async () => {
    const folder = await tempRoot();
    const { code } = await runCli(folder, ['init']);
    expect(code).toBe(0);
    expect(existsSync(join(folder, 'tgp.config.ts'))).toBe(true);
  });

  it('the configuration of the README loads', async () => {
    const folder = await tempRoot();
    await mkdir(join(folder, 'public/exports'), { recursive: true });
    const file = join(folder, 'tgp.config.ts');
    await writeFile(
      file,
      `import { defineTGPConfig } from '@tgp/core';
      export default defineTGPConfig({
        rootDir: './.tgp',
        git: {
          provider: 'local',
          branch: 'main',
          auth: { token: process.env.TGP_NOT_SET, user: 'tgp-bot[bot]', email: 'tgp-bot@users.noreply.github.com' },
          writeStrategy: process.env.NODE_ENV === 'production' ? 'pr' : 'direct',
        },
        fs: { allowedDirs: ['./public/exports', './tmp'], blockUpwardTraversal: true },
        allowedImports: ['@tgp/std', 'zod', 'date-fns'],
        allowedFetchUrls: ['https://api.stripe.com'],
      });`,
    );
    const kernel = new TGP({ configFile: file });
    onTestFinished(() => kernel.shutdown());
    await kernel.boot();
    expect(kernel.config).toMatchObject({
      git: { auth: { user: 'tgp-bot[bot]' } },
      fs: { allowedDirs: ['./public/exports', './tmp'] },
      allowedImports: ['@tgp/std', 'zod', 'date-fns'],
      allowedFetchUrls: ['https://api.stripe.com'],
    });
  });

  it('the route of the README works: system prompt, kernel tools and SQL tools in one call of the AI SDK', async () => {
    const { kernel } = await createKernel();
    const { file } = await customers();
    const database = new Database(file);
    onTestFinished(() => {
      database.close();
    });
    const executor = async (/** @type {string} */ sql, /** @type {any} */ params) =>
      database.prepare(sql).all(...(params ?? []));
    const result = await generateText({
      model: scriptedModel('6', test, (seen) =>
        seen.length === 0
          ? { call: { name: 'exec_sql', input: { sql: 'SELECT name FROM users WHERE id = ?', params: [1] } } }
          : { say: 'It is Ada.' },
      ).model,
      tools: { ...tgpTools(kernel), ...createSqlTools(executor) },
      stopWhen: stepCountIs(5),
      system: kernel.getSystemPrompt(),
      prompt: 'Who is user 1?',
    });
    expect(result.text).toBe('It is Ada.');
    expect(result.steps[0]?.toolResults[0]?.output).toEqual([{ name: 'Ada' }]);
  });
});
