/** `sql` and `sandboxAPI` in the config file: for kernels, for the command line and for MCP clients. */

import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { createSqlTools, loadTGPConfig, sqlite, TGP, tgpTools } from '../../index.js';
import { CLI, runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const CONFIG = `
import { defineTGPConfig, sqlite } from '@tgp/core';
import { z } from 'zod';
export default defineTGPConfig({
  rootDir: './.tgp',
  sql: { source: sqlite(new URL('./shop.db', import.meta.url).pathname), maxRows: 10 },
  sandboxAPI: {
    double: (n: number) => n * 2,
    send_mail: {
      description: 'Sends a mail to one customer.',
      parameters: z.object({ to: z.string(), subject: z.string().default('Hello') }),
      execute: async ({ to, subject }: { to: string; subject: string }) => \`\${subject} to \${to}\`,
    },
  },
});
`;
const TOOL = `/** Uses what the application has. */
export default async function (args: { to: string }): Promise<unknown> {
  const rows = await tgp.exec_sql('SELECT 7 AS seven');
  return { rows, doubled: await tgp.double(21), mail: await tgp.send_mail({ to: args.to }) };
}
`;

/** A project with the config file above and a tool that needs it. */
async function project(config = CONFIG) {
  const folder = await tempRoot();
  await symlink(PACKAGES, join(folder, 'node_modules'));
  await writeFile(join(folder, 'tgp.config.ts'), config);
  const kernel = kernelOf({ configFile: join(folder, 'tgp.config.ts') });
  await tgpTools(kernel).write_file.execute({ path: 'tools/shop/greet.ts', content: TOOL });
  return { folder, kernel, file: join(folder, 'tgp.config.ts') };
}

function kernelOf(options) {
  const kernel = new TGP(options);
  onTestFinished(() => kernel.shutdown());
  return kernel;
}

const EXPECTED = { rows: [{ seven: 7 }], doubled: 42, mail: 'Hello to ada@example.org' };
const ARGS = { to: 'ada@example.org' };

describe('sql and sandboxAPI in the config file', () => {
  test('a kernel uses them, and options of the constructor replace them by name', async () => {
    const { kernel, file } = await project();
    expect((await kernel.exec('tools/shop/greet.ts', ARGS)).result).toEqual(EXPECTED);
    await kernel.shutdown();
    const sql = async () => [{ seven: 'mine' }];
    const other = kernelOf({ configFile: file, sql, sandboxAPI: { double: () => 'mine' } });
    expect((await other.exec('tools/shop/greet.ts', ARGS)).result).toEqual({
      ...EXPECTED,
      rows: [{ seven: 'mine' }],
      doubled: 'mine',
    });
  });

  test('warns about a function that replaces the database', async () => {
    /** @type {string[]} */
    const warnings = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (/** @type {string} */ text) => warnings.push(text) };
    const config = { rootDir: await tempRoot() };
    const kernel = kernelOf({ config, logger, sql: sqlite(':memory:'), sandboxAPI: { exec_sql: () => 'mine' } });
    await kernel.boot();
    expect(warnings.join()).toContain('sandboxAPI.exec_sql replaces the database');
    warnings.length = 0;
    const alone = kernelOf({ config: { rootDir: await tempRoot() }, logger, sandboxAPI: { exec_sql: () => 'mine' } });
    await alone.boot();
    expect(warnings.join()).not.toContain('exec_sql');
  });

  test('tgp exec and tgp mcp use them', async () => {
    const { folder, kernel } = await project();
    await kernel.shutdown();
    const { json, code } = await runCli(folder, ['exec', '--yes', 'shop/greet', '-a', JSON.stringify(ARGS), '--json']);
    expect(json()).toMatchObject({ success: true, result: EXPECTED });
    expect(code).toBe(0);
    const client = new Client({ name: 'test', version: '1.0.0' });
    onTestFinished(() => client.close());
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [CLI, 'mcp', '--yes'], cwd: folder }),
    );
    const answer = await client.callTool({
      name: 'exec_tool',
      arguments: { path: 'tools/shop/greet.ts', args: ARGS },
    });
    expect(JSON.stringify(answer)).toContain('Hello to ada@example.org');
  });

  test('the command line exits even if the config file keeps a resource open', async () => {
    const { folder, kernel } = await project(
      CONFIG.replace('double: (n', 'alive: setInterval(() => {}, 1000) && (() => 1), double: (n'),
    );
    await kernel.shutdown();
    expect((await runCli(folder, ['list'])).code).toBe(0);
  });

  test('shutdown closes a database of the config file, but not one of the application', async () => {
    const folder = await tempRoot();
    const opened = (/** @type {string} */ name) => `{
      connect: async () => ({ query: async () => ({ rows: [], rowCount: 0 }), release() {} }),
      query: async () => ({ rows: [] }),
      end: async () => (await import('node:fs')).writeFileSync(${JSON.stringify(join(folder, name))}, 'ended'),
    }`;
    await writeFile(join(folder, 'tgp.config.mjs'), `export default { rootDir: './.tgp', sql: ${opened('own')} };`);
    const kernel = kernelOf({ configFile: join(folder, 'tgp.config.mjs') });
    await kernel.boot();
    await kernel.shutdown();
    expect(await readFile(join(folder, 'own'), 'utf8')).toBe('ended');
    let ended = false;
    const pool = {
      connect: async () => ({ query: async () => ({ rows: [], rowCount: 0 }), release() {} }),
      query: async () => ({ rows: [] }),
      end: async () => {
        ended = true;
      },
    };
    const other = kernelOf({ config: { rootDir: join(folder, '.other'), sql: pool } });
    await other.boot();
    await other.shutdown();
    expect(ended).toBe(false);
  });

  test.each(['ts', 'mjs', 'js', 'cjs'])('a boot that failed can be retried with the corrected .%s', async (ending) => {
    const folder = await tempRoot();
    const file = join(folder, `tgp.config.${ending}`);
    const exported = ending === 'cjs' ? 'module.exports =' : 'export default';
    await writeFile(file, `${exported} { rootDir: './.tgp', sandboxAPI: { one: 1 } };`);
    const kernel = kernelOf({ configFile: file });
    await expect(kernel.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/sandboxAPI\.one/),
    });
    await writeFile(file, `${exported} { rootDir: './.tgp', sandboxAPI: { two: () => 2 } };`);
    await tgpTools(kernel).write_file.execute({ path: 'tools/t.ts', content: 'return await tgp.two()' });
    expect((await kernel.exec('tools/t.ts')).result).toBe(2);
  });

  test('createSqlTools(kernel) uses the database of the kernel, with its limits', async () => {
    const { folder, file } = await project();
    const kernel = kernelOf({ configFile: file });
    const refused = (/** @type {string} */ text) =>
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(text) });
    const sqlToolsOrError = (/** @type {TGP} */ of) => {
      try {
        return createSqlTools(of);
      } catch (error) {
        return error;
      }
    };
    expect(sqlToolsOrError(kernel)).toEqual(refused('await kernel.boot()'));
    await kernel.boot();
    const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11) SELECT i FROM n';
    // The config allows ten rows.
    await expect(createSqlTools(kernel).exec_sql.execute({ sql: many })).rejects.toMatchObject({
      message: expect.stringContaining('10'),
    });
    expect(await createSqlTools(kernel, { maxRows: 11 }).exec_sql.execute({ sql: many })).toHaveLength(11);
    const own = kernelOf({
      config: { rootDir: join(folder, 'other') },
      sql: { source: sqlite(':memory:'), readOnly: true },
    });
    await expect(createSqlTools(own).exec_sql.execute({ sql: 'CREATE TABLE t (a)' })).rejects.toMatchObject({
      code: 'ERR_SECURITY_VIOLATION',
    });
    const none = kernelOf({ config: { rootDir: join(folder, 'third') } });
    await none.boot();
    expect(sqlToolsOrError(none)).toEqual(refused('"sql" in the config'));
  });

  test('loadTGPConfig returns them, and refuses an invalid one by name', async () => {
    const { file } = await project();
    const config = await loadTGPConfig(file);
    expect(config.sandboxAPI).toHaveProperty('send_mail.description');
    await writeFile(file, "export default { sql: 'postgres://localhost' };");
    await expect(loadTGPConfig(file)).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringMatching(/"sql"/),
    });
  });

  test('kernel.config contains neither', async () => {
    const kernel = new TGP({ config: { sql: { source: 'secret' }, sandboxAPI: { f: () => 1 } } });
    expect(Object.keys(kernel.config)).not.toContain('sql');
    expect(Object.keys(kernel.config)).not.toContain('sandboxAPI');
  });
});

/**
 * @param {Record<string, import('../../index.js').SandboxFunction>} sandboxAPI
 * @param {string} source
 */
async function forged(sandboxAPI, source) {
  const kernel = kernelOf({ config: { rootDir: join(await tempRoot(), '.tgp') }, sandboxAPI });
  const tools = tgpTools(kernel);
  await tools.write_file.execute({ path: 'tools/t.ts', content: source });
  return { kernel, tools };
}

const DESCRIBED = {
  zod: z.object({ id: z.int(), tags: z.array(z.enum(['new', 'old'])).default([]) }),
  'JSON Schema': {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      tags: { type: 'array', items: { enum: ['new', 'old'] }, default: [] },
    },
    required: ['id'],
    additionalProperties: false,
  },
};

describe.each(Object.entries(DESCRIBED))('a function with parameters as %s', (_name, parameters) => {
  const lookUp = { description: 'Looks a customer up.', parameters, execute: (args) => args };

  test('receives validated arguments with defaults', async () => {
    const { kernel } = await forged({ lookUp }, 'return await tgp.lookUp({ id: 1 })');
    expect((await kernel.exec('tools/t.ts')).result).toEqual({ id: 1, tags: [] });
  });

  test('is not called with invalid arguments, and the tool gets the error', async () => {
    let calls = 0;
    const counted = { ...lookUp, execute: () => ++calls };
    for (const [call, field] of [
      ["tgp.lookUp({ id: 'x' })", '"id" is not valid'],
      ['tgp.lookUp()', '"id" is missing'],
      ["tgp.lookUp({ id: 1, tags: ['other'] })", '"tags.0" is not valid'],
      ["tgp.lookUp('x')", 'the value is not valid'],
    ]) {
      const { kernel } = await forged({ lookUp: counted }, `return await ${call}`);
      const error = await kernel.exec('tools/t.ts').catch((thrown) => thrown);
      expect(error, call).toMatchObject({ code: 'ERR_VALIDATION' });
      expect(error.message, call).toContain(`tgp.lookUp: ${field}`);
    }
    expect(calls).toBe(0);
  });

  test('is known to the type checker', async () => {
    const wrong = "/** Wrong. */\nexport default async () => tgp.lookUp({ id: 'x', tags: ['old'] });\n";
    const { tools } = await forged({ lookUp }, wrong);
    const { diagnostics, typesChecked } = await tools.check_tool.execute({ path: 'tools/t.ts' });
    expect(typesChecked).toBe(true);
    expect(diagnostics.map(({ message }) => message).join()).toContain(
      "Type 'string' is not assignable to type 'number'",
    );
    const right = "/** Right. */\nexport default async () => tgp.lookUp({ id: 1, tags: ['old'] });\n";
    await tools.write_file.execute({ path: 'tools/t.ts', content: right });
    expect((await tools.check_tool.execute({ path: 'tools/t.ts' })).errors).toEqual([]);
  });
});

test.each([
  [{ f: 1 }, 'sandboxAPI.f must be a function'],
  [{ f: { description: 'x' } }, 'with a function "execute"'],
  [{ f: { execute() {}, inputSchema: {} } }, 'sandboxAPI.f.inputSchema is not known'],
  [{ f: { execute() {}, description: 1 } }, 'sandboxAPI.f.description must be a string'],
  [{ f: { execute() {}, parameters: { type: 'nonsense' } } }, 'sandboxAPI.f.parameters must be a schema'],
  [{ f: { execute() {}, parameters: 'string' } }, 'sandboxAPI.f.parameters must be a schema'],
])('the functions %j are refused: %s', async (sandboxAPI, message) => {
  const kernel = kernelOf({ config: { rootDir: join(await tempRoot(), '.tgp') }, sandboxAPI });
  await expect(kernel.boot()).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    message: expect.stringContaining(message),
    details: { key: expect.stringMatching(/^sandboxAPI\.f/) },
  });
});

test('an unknown key inside a list gets a suggestion', async () => {
  const parameters = z.strictObject({ rows: z.array(z.strictObject({ price: z.number() })) });
  const api = { save: { parameters, execute: () => 1 } };
  const { kernel } = await forged(api, 'return await tgp.save({ rows: [{ price: 1, pirce: 2 }] })');
  await expect(kernel.exec('tools/t.ts')).rejects.toThrow('did you mean "rows.0.price"?');
});

describe('the command line finds the project from a folder inside it', () => {
  test('by its config file, and by its workspace', async () => {
    const { folder, kernel } = await project();
    await kernel.shutdown();
    const deep = join(folder, 'src', 'deep');
    await mkdir(deep, { recursive: true });
    const ran = await runCli(deep, ['exec', '--yes', 'shop/greet', '-a', JSON.stringify(ARGS), '--json']);
    expect(ran.json()).toMatchObject({ success: true, result: EXPECTED });
    const { stdout } = await runCli(deep, ['doctor']);
    expect(stdout).toContain('../../tgp.config.ts');
    expect(stdout).toContain('"sql" in the config is connected');

    const bare = await tempRoot();
    await runCli(bare, ['init', '--yes']);
    await rm(join(bare, 'tgp.config.ts'));
    await mkdir(join(bare, 'inner'));
    expect((await runCli(join(bare, 'inner'), ['list'])).stdout).toContain('tools/examples/greet.ts');
  });

  test('but not outside its repository', async () => {
    const { folder, kernel } = await project();
    await kernel.shutdown();
    const inner = join(folder, 'other', 'src');
    await mkdir(join(folder, 'other', '.git'), { recursive: true });
    await mkdir(inner);
    const { code, stderr } = await runCli(inner, ['list']);
    expect(code).toBe(1);
    expect(stderr).toContain('There is no workspace at ./.tgp');
  });
});
