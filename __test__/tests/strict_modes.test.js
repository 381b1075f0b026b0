import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { tgpTools } from '../../index.js';
import { runCli } from '../../tools/run_cli.mjs';
import { runProgram } from '../helpers/run_program.js';
import { agentOf, FEWER, HEAD, PLAIN, ROWS, S, strictAgent, T, TEST, TOOL, testOf } from '../helpers/strict_agent.js';
import { tempRoot } from '../helpers/temp_root.js';

const P = 'tools/plain.ts';
const PT = 'tools/plain.test.ts';

it('red, green, refactor, green needs no extra calls', async () => {
  const agent = await strictAgent();
  const calls = [
    await agent.write(S, TEST),
    await agent.tried(T),
    await agent.write(T, TOOL),
    await agent.tried(T),
    await agent.run(),
    await agent.call('patch_file', { path: T, search: 'sum + row', replace: 'row + sum' }),
    await agent.tried(T),
    await agent.run(),
  ];
  expect(calls.map((made) => made.state?.phase ?? made.result ?? made.persisted)).toEqual([
    true,
    'red',
    true,
    'green',
    3,
    true,
    'green',
    3,
  ]);
  expect(await agent.kernel.ledger.query({ type: 'CALL' })).toHaveLength(calls.length);
});

it('another case needs the same steps', async () => {
  const agent = await strictAgent();
  await agent.forge();
  const more = "test('one', () => { expect(total({ rows: [7] })).toBe(8); });\n";
  await agent.write(S, `${TEST}${more}`);
  await agent.refused(agent.write(T, TOOL.replace('0)', '1)')));
  const tool = TOOL.replace('return', 'if (args.rows[0] === 7) return 8;\n  return');
  expect(await agent.write(T, tool)).toMatchObject({ success: true });
  expect(await agent.stateOf()).toMatchObject({ phase: 'green' });
});

describe('modes', () => {
  it('debug requires tests for new tools only', async () => {
    const agent = await strictAgent({ mode: 'debug' });
    await agent.refused(agent.write(P, PLAIN), { test: testOf('plain') });
    await agent.forge();
    await agent.write(T, TOOL.replace('sum + row', 'sum - row'));
    expect(await agent.run()).toMatchObject({ result: -3 });
    await agent.write(S, '');
    await agent.call('delete_file', { path: S });
    await agent.write(T, TOOL);
    expect(await agent.run()).toMatchObject({ result: 3 });
    expect(await agent.call('run_code', { code: 'export default () => 5;' })).toMatchObject({ result: 5 });
  });

  it('explore refuses nothing, and reports the state of a tool', async () => {
    const agent = await strictAgent({ mode: 'explore' });
    await agent.write(P, PLAIN);
    expect(await agent.run(P, {})).toMatchObject({ result: 'P' });
    await agent.write(PT, testOf('plain'));
    expect(await agent.stateOf(P)).toEqual({ phase: 'green', reason: 'green' });
    await agent.call('delete_file', { path: PT });
    expect(await agent.call('run_code', { code: 'export default () => 5;' })).toMatchObject({ result: 5 });
  });

  it('apply to one agent or one call, and to no other', async () => {
    const { kernel, ...agent } = await strictAgent();
    const free = agentOf(kernel, tgpTools(kernel, { mode: 'explore', session: 'free' }));
    expect(await free.write(P, PLAIN)).toMatchObject({ success: true });
    expect(await free.run(P, {})).toMatchObject({ result: 'P' });
    await agent.refused(agent.run(P, {}), { path: P, test: testOf('plain') });
    expect(await kernel.exec(P, {})).toMatchObject({ result: 'P' });
    expect(await kernel.run('export default () => 5;')).toMatchObject({ result: 5 });
    await expect(kernel.exec(P, {}, { mode: 'strict' })).rejects.toMatchObject({ code: 'ERR_STATE' });
    expect(await kernel.exec(P, {}, { mode: 'debug' })).toMatchObject({ result: 'P' });
    await expect(kernel.exec(P, {}, { mode: /** @type {any} */ ('lax') })).rejects.toMatchObject({
      code: 'ERR_VALIDATION',
    });
    expect(() => tgpTools(kernel, { mode: /** @type {any} */ ('lax') })).toThrow('"mode" is not valid');
    const live = /** @type {any} */ (await kernel.liveTools(tgpTools(kernel, { mode: 'explore' })));
    expect(await live.plain.execute({})).toMatchObject({ result: 'P' });
  });

  it('do not apply to exempt paths', async () => {
    const agent = await strictAgent({ exempt: ['tools/scratch/**', 'tools/.code.ts'] });
    await agent.write('tools/scratch/a/plain.ts', PLAIN);
    expect(await agent.run('tools/scratch/a/plain.ts', {})).toMatchObject({ result: 'P' });
    expect(await agent.call('run_code', { code: 'export default () => 5;' })).toMatchObject({ result: 5 });
    await agent.kernel.vfs.writeFile(P, PLAIN);
    const code = `export default async () => await tgp.exec_tool('${P}', {});`;
    expect(await agent.call('run_code', { code })).toMatchObject({ code: 'ERR_STATE' });
    expect(await agent.run('tools/scratch/../plain.ts', {})).toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
  });

  it.each([
    [{ mode: 'Strict' }, '"mode"'],
    [{ exempt: 'tools/**' }, '"exempt"'],
    [{ exempt: [''] }, '"exempt.0"'],
    [{ exempt: ['['] }, "'['"],
    [{ exempt: ['../x'] }, "'../x'"],
  ])('with invalid options are refused: %j', async (config, named) => {
    const { kernel } = await strictAgent(/** @type {any} */ (config));
    await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', message: expect.stringContaining(named) });
  });
});

describe('people', () => {
  it('can write, commit and run anything, and their tests count unchanged', async () => {
    const agent = await strictAgent();
    await agent.kernel.vfs.writeFile(P, PLAIN);
    await agent.kernel.vfs.writeFile(PT, testOf('plain'));
    expect(await agent.kernel.exec(P, {})).toMatchObject({ result: 'P' });
    await agent.kernel.git.persist('By hand', [P, PT]);
    await agent.refused(agent.run(P, {}), { path: P });
    expect(await agent.run(P, {})).toMatchObject({ result: 'P' });
  });

  it('can accept a test of an agent that has fewer cases or never failed', async () => {
    const agent = await strictAgent();
    await agent.forge();
    for (const [test, reason] of [
      [FEWER, 'weakened'],
      [FEWER.replace('toBe(3)', 'toBeGreaterThan(2)'), 'unproven'],
    ]) {
      await agent.write(S, String(test));
      expect(await agent.stateOf()).toEqual({ phase: 'red', reason });
      await expect(agent.call('test_tool', { path: T, accept: true })).rejects.toMatchObject({
        code: 'ERR_VALIDATION',
      });
      expect(await agent.kernel.test(T, { accept: true })).toMatchObject({ ok: true, state: { phase: 'green' } });
      expect(await agent.run()).toMatchObject({ result: 3 });
      expect(await agent.stateOf()).toMatchObject({ phase: 'green' });
    }
    await agent.write(S, `${HEAD}import total from './total';\ntest('x', () => { total({ rows: [] }); });\n`);
    expect((await agent.kernel.test(T, { accept: true })).state).toMatchObject({ phase: 'red', reason: 'hollow' });
    expect(await agent.run()).toMatchObject({ code: 'ERR_STATE' });
  });

  it('can accept it on the command line, and are not restricted there', async () => {
    const folder = await tempRoot();
    writeFileSync(join(folder, 'tgp.config.json'), JSON.stringify({ mode: 'strict' }));
    const agent = await strictAgent({ rootDir: join(folder, '.tgp') });
    await agent.forge();
    await agent.write(S, FEWER);
    expect(await agent.stateOf()).toMatchObject({ reason: 'weakened' });
    await agent.kernel.shutdown();
    const ran = await runCli(folder, ['exec', 'total', '--yes', '--args', JSON.stringify(ROWS)]);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('3') });
    expect(await runCli(folder, ['test', 'total', '--accept', '--yes'])).toMatchObject({ code: 0 });
    const next = await strictAgent({ rootDir: join(folder, '.tgp') });
    expect(await next.run()).toMatchObject({ result: 3 });
  });
});

describe('the state of a tool', () => {
  it('is shared with another process, in both directions', async () => {
    const agent = await strictAgent();
    await agent.forge();
    await agent.kernel.boot();
    const child = (/** @type {string} */ code) =>
      runProgram(
        join(agent.rootDir, '..'),
        `const kernel = new TGP({ config: { rootDir: ${JSON.stringify(agent.rootDir)}, mode: 'strict' }, logger: { debug() {}, info() {}, warn() {}, error() {} } });
         const { write_file, test_tool, exec_tool } = tgpTools(kernel);
         const run = () => exec_tool.execute({ path: '${T}', args: { rows: [1, 2] } });
         const answer = await (async () => { ${code} })();
         await kernel.shutdown();
         console.log(JSON.stringify(answer));`,
      );
    expect(await child('return run();')).toMatchObject({ result: 3 });
    const weaker = JSON.stringify({ path: S, content: FEWER });
    expect(
      await child(`await write_file.execute(${weaker}); return test_tool.execute({ path: '${T}' });`),
    ).toMatchObject({ ok: true, state: { phase: 'red', reason: 'weakened' } });
    const refusal = { code: 'ERR_STATE', error: expect.stringContaining('total > nothing') };
    await vi.waitFor(async () => expect(await agent.run()).toMatchObject(refusal), { timeout: 20_000 });
    await agent.kernel.shutdown();
    expect(await child('return run();')).toMatchObject({ code: 'ERR_STATE' });
  });

  it('is shared with an older kernel of the same root', async () => {
    const agent = await strictAgent();
    const old = await strictAgent({ rootDir: agent.rootDir });
    await old.kernel.boot();
    await agent.forge();
    await vi.waitFor(async () => expect(await old.run()).toMatchObject({ result: 3 }), { timeout: 20_000 });
    await agent.write(T, TOOL.replace('sum + row', 'sum - row'));
    await old.refused(old.run(), { path: T });
    expect(await old.run()).toMatchObject({ code: 'ERR_STATE', error: expect.stringContaining('fails') });
  });

  it('is recorded in the ledger and restored from it', async () => {
    const agent = await strictAgent();
    await agent.forge();
    await agent.kernel.shutdown();
    await agent.kernel.boot();
    const events = /** @type {any[]} */ (await agent.kernel.ledger.query({ type: 'STATE' }));
    expect(events.map(({ what }) => what.what)).toEqual(['test_written', 'test_ran', 'tool_written', 'test_ran']);
    expect(await agent.kernel.ledger.verify()).toMatchObject({ ok: true });
    expect(await agent.run()).toMatchObject({ result: 3 });
  });

  it('is limited to one kernel without a ledger', async () => {
    const agent = await strictAgent({ ledger: false });
    await agent.refused(agent.write(T, TOOL));
    await agent.forge();
    expect(await agent.run()).toMatchObject({ result: 3 });
    await agent.write(T, TOOL.replace('sum + row', 'row + sum'));
    await agent.refused(agent.run(), { path: T });
    expect(await agent.run()).toMatchObject({ result: 3 });
    await agent.kernel.shutdown();
    const next = await strictAgent({ rootDir: agent.rootDir, ledger: false });
    expect(await next.run()).toMatchObject({ code: 'ERR_STATE' });
    expect(await next.kernel.test(T, { accept: true })).toMatchObject({ state: { phase: 'green' } });
    expect(await next.run()).toMatchObject({ result: 3 });
  });
});

describe('no approval is requested for', () => {
  const approvingAgent = async () => {
    /** @type {string[]} */
    const requests = [];
    const approve = async (/** @type {any} */ { tool, path }) => {
      requests.push(`${tool} ${path}`);
      return true;
    };
    return { requests, agent: await strictAgent({ policy: { default: 'ask' } }, { approve }) };
  };

  it('a change that the mode refuses', async () => {
    const { requests, agent } = await approvingAgent();
    await agent.kernel.vfs.writeFile(T, TOOL);
    const changes = [
      () => agent.write(P, PLAIN),
      () => agent.call('patch_file', { path: T, search: 'sum + row', replace: 'row + sum' }),
      () => agent.call('move_file', { from: T, to: P }),
    ];
    for (const change of changes) {
      await expect(change()).rejects.toMatchObject({ code: 'ERR_STATE', message: expect.stringMatching(/First/) });
    }
    expect(requests).toEqual([]);
    expect(await agent.write(S, TEST)).toMatchObject({ success: true });
    expect(requests).toEqual([`write_file ${S}`]);
  });

  it('a run that the mode refuses', async () => {
    const { requests, agent } = await approvingAgent();
    await agent.kernel.vfs.writeFile(P, PLAIN);
    expect(await agent.run(P, {})).toMatchObject({ code: 'ERR_STATE' });
    expect(await agent.call('run_code', { code: 'export default () => 5;' })).toMatchObject({ code: 'ERR_STATE' });
    expect(requests).toEqual([]);
    const events = await agent.kernel.ledger.query({ type: 'DENIED' });
    expect(events.map(({ code }) => code)).toEqual(['ERR_STATE', 'ERR_STATE']);
  });

  it('a dry run', async () => {
    const { requests, agent } = await approvingAgent();
    const looking = agentOf(agent.kernel, tgpTools(agent.kernel, { dryRun: true }));
    await looking.refused(looking.write(P, PLAIN), { path: P });
    expect(requests).toEqual([]);
  });
});
