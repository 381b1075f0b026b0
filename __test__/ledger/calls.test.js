/** The ledger records every call of every caller, with its result and its parent. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMcpServer } from '../../dist/mcp.js';
import { createSqlTools, sqlite, TGP, tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { serveHttp } from '../helpers/http_server.js';
import { callsOf } from '../helpers/ledger.js';
import { sqlKernel } from '../helpers/sql_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const LAST = 'export default (args: { n: number }): number => args.n * 2;';
const TWICE = `/** Doubles. */\n${LAST}\n`;
const MANY = 10_000;

/**
 * @param {TGP} kernel
 * @param {import('../../index.js').LedgerQuery} [filter]
 */
const recorded = async (kernel, filter = {}) => callsOf(await kernel.ledger.query({ limit: MANY, ...filter }));

/** @param {Awaited<ReturnType<typeof recorded>>} calls */
const withoutResult = (calls) => calls.filter(({ results }) => results.length !== 1).map(({ tool }) => tool);

describe('calls of an agent', () => {
  test('each tool records a call and its result: actor, tool, file, outcome', async () => {
    const { kernel } = await createKernel();
    const tools = tgpTools(kernel, { session: 'order-77', model: 'test-1' });
    const path = 'tools/math/twice.ts';
    await tools.write_file.execute({ path, content: TWICE });
    await tools.list_files.execute({ dir: '.' });
    await tools.read_file.execute({ path });
    await tools.patch_file.execute({ path, search: 'Doubles', replace: 'Makes double' });
    await tools.apply_diff.execute({
      path,
      diff: `<<<<<<< SEARCH\n${LAST}\n=======\n${LAST} // so\n>>>>>>> REPLACE\n`,
    });
    await tools.search_files.execute({ pattern: 'double' });
    await tools.find_tool.execute({ query: 'double a number' });
    const [{ commit }] = /** @type {any} */ (await tools.file_history.execute({ path }));
    await tools.check_tool.execute({ path });
    await tools.exec_tool.execute({ path, args: { n: 21 } });
    await tools.run_code.execute({ code: 'return 1' });
    await tools.move_file.execute({ from: path, to: 'tools/math/double.ts' });
    await tools.delete_file.execute({ path: 'tools/math/double.ts' });
    await tools.revert_file.execute({ path, commit });
    await expect(tools.read_file.execute({ path: 'none.md' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });

    const calls = await recorded(kernel, { session: 'order-77' });
    expect(calls.map(({ tool, effect }) => `${tool} ${effect}`)).toEqual([
      'write_file write',
      'list_files read',
      'read_file read',
      'patch_file write',
      'apply_diff write',
      'search_files read',
      'find_tool read',
      'file_history read',
      'check_tool read',
      'exec_tool run',
      'run_code run',
      'move_file write',
      'delete_file write',
      'revert_file write',
      'read_file read',
    ]);
    expect(withoutResult(calls)).toEqual([]);
    expect(new Set(calls.map(({ actor }) => actor.agent))).toEqual(new Set(['agent']));
    expect(new Set(calls.map(({ call }) => call)).size).toBe(calls.length);
    expect(calls.every(({ parent }) => parent === undefined)).toBe(true);

    const [written] = calls;
    expect(written).toMatchObject({ path, model: 'test-1', args: { path, content: TWICE } });
    expect(written?.results[0]).toMatchObject({ ok: true, session: 'order-77', path, ms: expect.any(Number) });
    expect(calls.at(9)?.results[0]).toMatchObject({ ok: true, result: expect.anything() });
    expect(calls.at(-1)?.results[0]).toMatchObject({
      ok: false,
      code: 'ERR_NOT_FOUND',
      message: expect.stringContaining('none.md'),
    });
    const commits = await kernel.ledger.query({ type: 'COMMIT' });
    expect(commits.length).toBeGreaterThanOrEqual(6);
    expect(commits[0]).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
  });

  test('a forged tool called by its own name is recorded', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: 'tools/math/twice.ts', content: TWICE });
    const { math_twice } = await kernel.tools();
    await math_twice?.execute({ n: 4 });
    const [ran] = await recorded(kernel, { path: 'tools/math/twice.ts', after: 3 });
    expect(ran).toMatchObject({ effect: 'run', args: { n: 4 }, actor: { agent: 'agent' } });
    expect(ran?.results).toMatchObject([{ ok: true }]);
  });

  test('SQL tools of a kernel are recorded', async () => {
    const { kernel } = await sqlKernel(sqlite(':memory:'), { config: {} });
    await kernel.boot();
    const tools = createSqlTools(kernel, { ddl: true });
    await tools.exec_sql.execute({ sql: 'CREATE TABLE t (n INTEGER)' });
    await tools.exec_sql.execute({ sql: 'SELECT * FROM t' });
    await tools.describe_schema.execute({});
    await expect(tools.exec_sql.execute({ sql: 'SELECT * FROM nowhere' })).rejects.toThrow();
    const calls = await recorded(kernel);
    expect(calls.map(({ tool }) => tool)).toEqual(['exec_sql', 'exec_sql', 'describe_schema', 'exec_sql']);
    expect(calls[0]).toMatchObject({ effect: 'sql', args: { sql: 'CREATE TABLE t (n INTEGER)' } });
    expect(withoutResult(calls)).toEqual([]);
    expect(calls.at(-1)?.results[0]).toMatchObject({ ok: false, code: 'ERR_SQL' });
  });
});

describe('calls of the application', () => {
  test('runs are recorded with their errors', async () => {
    const { kernel, forge } = await createKernel();
    await forge('export default (args: { fail: boolean }) => { if (args.fail) throw new Error("no"); return 1; }', {
      fail: false,
    });
    const path = 'tools/test/forged.ts';
    await expect(kernel.exec(path, { fail: true })).rejects.toMatchObject({ code: 'ERR_TOOL_THROWN' });
    await expect(kernel.exec('tools/none.ts')).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
    await kernel.run('return args', { a: 1 });
    await expect(kernel.run('for (;;);', {}, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
    });
    const runs = (await recorded(kernel)).filter(({ effect }) => effect === 'run');
    expect(runs.map(({ results }) => results[0]?.code ?? 'ok')).toEqual([
      'ok',
      'ERR_TOOL_THROWN',
      'ERR_NOT_FOUND',
      'ok',
      'ERR_ISOLATE_TIMEOUT',
    ]);
    expect(runs[1]).toMatchObject({ path, args: { fail: true }, actor: { agent: 'application' } });
    expect(runs[1]?.results).toMatchObject([{ message: expect.stringContaining('no') }]);
  });

  test('an aborted run has a result', async () => {
    const { kernel } = await createKernel();
    const stop = new AbortController();
    const run = kernel.run('await new Promise((done) => setTimeout(done, 10_000))', {}, { signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    await expect(run).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    const [ended] = await recorded(kernel);
    expect(ended?.results).toMatchObject([{ ok: false, code: 'ERR_ABORTED' }]);
  });

  test('events of the application are recorded', async () => {
    const { kernel } = await createKernel();
    await kernel.ledger.append({ session: 's', path: 'tools/a.ts', what: 'shipped', order: 77 });
    await kernel.ledger.append({ type: 'APPLICATION', actor: { agent: 'guardian', id: 'g1' }, diffRef: 'x' });
    const events = await kernel.ledger.tail();
    expect(events.slice(-2)).toMatchObject([
      { type: 'APPLICATION', session: 's', path: 'tools/a.ts', what: 'shipped', order: 77 },
      { type: 'APPLICATION', actor: { agent: 'guardian', id: 'g1' }, diffRef: 'x' },
    ]);
  });

  test.each([
    ['a field that the ledger sets', { seq: 1 }, '"seq"'],
    ['a forged call', { type: 'CALL' }, '"type"'],
    ['a reconciliation event', { type: 'RECONCILIATION', diffRef: 'x' }, '"type"'],
    ['a trigger event', { type: 'VALVE_PERSONA_TRIGGER', persona: 'x' }, '"type"'],
    ['a field of a call', { call: 'x-1' }, '"call"'],
    ['a text instead of an object', 'text', 'value'],
    ['a value that is not JSON', { what: Number.NaN }, 'NaN'],
  ])('append refuses %s', async (_, event, name) => {
    const { kernel } = await createKernel();
    await expect(kernel.ledger.append(/** @type {any} */ (event))).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringContaining(name),
    });
  });
});

describe('host calls of a run', () => {
  test('are recorded below their run, at any depth', async () => {
    const { url } = await serveHttp((_, response) => response.end('hello'));
    const { kernel, forge } = await sqlKernel(sqlite(':memory:'), {
      config: { allowedFetchUrls: [url], sandbox: { timeoutMs: 2_000 } },
      sandboxAPI: { greet: (/** @type {string} */ name) => `hello ${name}` },
    });
    await forge(
      'export default (args: { n: number }) => { tgp.read_file("tools/inner.ts"); return args.n; }',
      'tools/inner.ts',
    );
    const run = await forge(
      `export default async () => {
        await tgp.exec_tool('tools/inner.ts', { n: 1 });
        await tgp.exec_sql('SELECT 1 AS one');
        await (await fetch('${url}/x')).text();
        await tgp.greet('you');
        tgp.write_file('/tmp/a.txt', 'a');
        tgp.list_files('tools');
        try { tgp.read_file('none.txt') } catch {}
        return 1;
      }`,
      'tools/outer.ts',
    );
    await run();
    const [outer] = (await recorded(kernel, { path: 'tools/outer.ts' })).filter(({ effect }) => effect === 'run');
    const tree = await kernel.ledger.show(String(outer?.call));
    expect(tree).toMatchObject({ path: 'tools/outer.ts', effect: 'run', state: 'ok', actor: { agent: 'application' } });
    expect(tree.calls.map(({ tool, effect, state }) => `${tool} ${effect} ${state}`)).toEqual([
      'exec_tool run ok',
      'exec_sql sql ok',
      'fetch net ok',
      'greet app ok',
      'write_file write ok',
      'list_files read ok',
      'read_file read failed',
    ]);
    const [inner, sql, fetched] = tree.calls;
    expect(inner).toMatchObject({
      path: 'tools/inner.ts',
      parent: tree.call,
      actor: { agent: 'tool', id: 'tools/outer.ts' },
    });
    expect(inner?.calls).toMatchObject([{ tool: 'read_file', path: 'tools/inner.ts', parent: inner?.call }]);
    expect(JSON.stringify(sql?.args)).toContain('SELECT 1 AS one');
    expect(JSON.stringify(fetched?.args)).toContain(`${url}/x`);
    expect(tree.calls.at(-1)).toMatchObject({ code: expect.stringMatching(/^ERR_/) });
    expect(await kernel.ledger.show(tree.seq)).toEqual(tree);
  });

  test('include the run that an application function starts', async () => {
    const { kernel, tools } = await createKernel(
      {},
      {
        sandboxAPI: { again: async () => (await kernel.exec('tools/inner.ts')).result },
      },
    );
    await tools.write_file.execute({ path: 'tools/inner.ts', content: 'return 5' });
    await tools.write_file.execute({ path: 'tools/outer.ts', content: 'export default async () => tgp.again()' });
    await kernel.exec('tools/outer.ts');
    const [outer] = (await recorded(kernel, { path: 'tools/outer.ts' })).filter(({ effect }) => effect === 'run');
    const tree = await kernel.ledger.show(String(outer?.call));
    const below = [...tree.calls, ...tree.calls.flatMap(({ calls }) => calls)];
    expect(below.map(({ tool, path }) => [tool, path].join(' ').trim())).toEqual(
      expect.arrayContaining(['again', expect.stringContaining('tools/inner.ts')]),
    );
  });

  test('stay with their own run when many runs are concurrent', async () => {
    const { kernel, tools } = await createKernel({ sandbox: { timeoutMs: 5_000 } });
    await tools.write_file.execute({
      path: 'tools/who.ts',
      content:
        'export default async (args: { n: number }) => { tgp.write_file("/tmp/" + args.n + ".txt", "x"); return args.n; }',
    });
    const numbers = [...Array(20).keys()];
    await Promise.all(numbers.map((n) => kernel.exec('tools/who.ts', { n })));
    const calls = await recorded(kernel);
    const runs = calls.filter(({ effect }) => effect === 'run');
    expect(runs).toHaveLength(numbers.length);
    for (const run of runs) {
      const children = calls.filter(({ parent }) => parent === run.call);
      expect(children.map(({ args }) => JSON.stringify(args))).toEqual([
        expect.stringContaining(`/tmp/${run.args.n}.txt`),
      ]);
    }
  });
});

describe('calls of other callers', () => {
  test('of MCP are recorded', async () => {
    const { kernel } = await createKernel();
    const server = await createMcpServer(kernel);
    const [near, far] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'inspector', version: '1' });
    await Promise.all([server.connect(far), client.connect(near)]);
    onTestFinished(() => client.close());
    await client.callTool({ name: 'write_file', arguments: { path: 'tools/math/twice.ts', content: TWICE } });
    await client.callTool({ name: 'exec_tool', arguments: { path: 'tools/math/twice.ts', args: { n: 1 } } });
    const calls = (await recorded(kernel)).filter(({ actor }) => actor.agent === 'mcp');
    expect(calls.map(({ tool }) => tool)).toEqual(['write_file', 'exec_tool']);
    expect(withoutResult(calls)).toEqual([]);
  });

  test('of the command line are recorded', async () => {
    const folder = await tempRoot();
    const configFile = join(folder, 'tgp.config.json');
    await writeFile(configFile, '{}');
    const kernel = new TGP({ configFile });
    await tgpTools(kernel).write_file.execute({ path: 'tools/math/twice.ts', content: TWICE });
    await kernel.shutdown();
    expect(await runCli(folder, ['exec', '--yes', 'math/twice', '--args', '{"n":4}'])).toMatchObject({ code: 0 });
    expect(await runCli(folder, ['remove', '--yes', 'math/twice'])).toMatchObject({ code: 0 });
    const events = (await runCli(folder, ['ledger', 'tail', '-n', '100', '--json'])).json();
    const calls = callsOf(events).filter(({ actor, effect }) => actor.agent === 'cli' && effect !== 'read');
    expect(calls).toMatchObject([
      { effect: 'run', path: 'tools/math/twice.ts', args: { n: 4 } },
      { tool: 'delete_file', path: 'tools/math/twice.ts' },
    ]);
    expect(withoutResult(calls)).toEqual([]);
  });
});
