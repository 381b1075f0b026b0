import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMcpServer } from '../../dist/mcp.js';
import { handleToolCall, tgpTools } from '../../index.js';
import { FEWER, HEAD, PLAIN, ROWS, S, strictAgent, T, TEST, TOOL, testOf } from '../helpers/strict_agent.js';

const WRONG = TOOL.replace('sum + row', 'sum - row');
const P = 'tools/plain.ts';
const PT = 'tools/plain.test.ts';

describe('a weakened test', () => {
  it.each([
    ['has fewer cases', FEWER, 'weakened'],
    ['has a case of another name', TEST.replace("'nothing'", "'other'"), 'weakened'],
    ['skips a case', TEST.replace("test('nothing'", "test.skip('nothing'"), 'weakened'],
    ['skips all', TEST.replaceAll("test('", "test.skip('"), 'left_out'],
    ['runs only one', TEST.replace("test('adds'", "test.only('adds'"), 'weakened'],
    ['has a case for later', TEST.replace(/test\('nothing'.*\n/, "test.todo('nothing');\n"), 'weakened'],
    [
      'has no case',
      `${HEAD}import total from './total';\ndescribe('total', () => { void total; void test; void expect; });\n`,
      'empty',
    ],
    ['expects nothing', TEST.replaceAll(/expect\((.*)\)\.toBe\(\d\)/g, '$1'), 'hollow'],
    ['expects nothing of the tool', TEST.replaceAll(/expect\(.*\)\.toBe\(\d\)/g, 'expect(1).toBe(1)'), 'vacuous'],
    ['does not import the tool', TEST.replace("import total from './total';", 'const total = () => 3;'), 'red'],
    ['swallows failures', TEST.replaceAll(/(expect\(.*?\);)/g, 'try { $1 } catch { void 0; }'), 'unproven'],
    ['expects less of the same case', TEST.replace('toBe(0)', 'toBeDefined()'), 'unproven'],
    ['turns its cases around', TEST.replaceAll("test('", "test.fails('"), 'red'],
    [
      'throws where it expects nothing',
      TEST.replaceAll(/test\('(.*)', .*$/gm, "test.fails('$1', () => { void total; throw new Error('x'); });"),
      'hollow',
    ],
    [
      'catches the only failure',
      TEST.replaceAll(
        /test\('(.*)', .*$/gm,
        "test('$1', () => { void total; try { expect(1).toBe(2); } catch { void 0; } });",
      ),
      'hollow',
    ],
    ['does not compile', TEST.replace('describe(', 'describe(('), 'broken'],
    ['throws before its cases', TEST.replace("describe('total'", "throw new Error('no');\ndescribe('total'"), 'broken'],
  ])('is not accepted if it %s', async (_, weaker, reason) => {
    const agent = await strictAgent();
    await agent.forge();
    await agent.write(S, weaker);
    expect(await agent.run()).toMatchObject({ success: false, code: 'ERR_STATE' });
    expect(await agent.stateOf()).toEqual({ phase: 'red', reason });
    await agent.refused(agent.run(), { path: T });
    // The advice of the refusal works: the original test, which failed once.
    await agent.write(S, TEST);
    expect(await agent.run()).toMatchObject({ success: true, result: 3 });
  });

  it.each([
    ['write_file', { path: S, content: '' }],
    ['write_file', { path: S, content: ' \n\t\n' }],
    ['patch_file', { path: S, search: TEST, replace: '' }],
    ['apply_diff', { path: S, diff: `<<<<<<< SEARCH\n${TEST}=======\n>>>>>>> REPLACE` }],
    ['delete_file', { path: S }],
    ['move_file', { from: S, to: 'notes/total.txt' }],
    ['move_file', { from: S, to: 'tools/other.ts' }],
  ])('cannot be emptied or removed by %s %j', async (tool, args) => {
    const agent = await strictAgent();
    await agent.forge();
    const { details } = await agent.refused(agent.call(tool, args));
    expect(details).toMatchObject({ path: T, test: S, state: 'green', reason: 'green' });
  });

  it('is detected when tool and test are written again with fewer cases', async () => {
    const agent = await strictAgent();
    await agent.forge();
    await agent.call('delete_file', { path: T });
    await agent.call('delete_file', { path: S });
    await agent.write(S, FEWER);
    await agent.tried(T);
    await agent.write(T, TOOL);
    expect(await agent.stateOf()).toEqual({ phase: 'red', reason: 'weakened' });
    const { message } = await agent.refused(agent.run(), { path: T });
    expect(message).toContain("'total > nothing'");
  });

  it('is detected when it is reverted to an older version', async () => {
    const agent = await strictAgent();
    await agent.forge(T, FEWER);
    const [{ commit }] = await agent.kernel.git.log(S);
    await agent.write(S, TEST.replace('toBe(0)', 'toBe(-1)'));
    expect(await agent.stateOf()).toMatchObject({ phase: 'red', reason: 'red' });
    await agent.write(T, TOOL.replace('return', 'if (args.rows.length === 0) return -1;\n  return'));
    expect(await agent.stateOf()).toMatchObject({ phase: 'green' });
    await agent.call('revert_file', { path: S, commit });
    expect(await agent.run()).toMatchObject({ code: 'ERR_STATE', error: expect.stringContaining('total > nothing') });
    expect(await agent.stateOf()).toEqual({ phase: 'red', reason: 'weakened' });
  });

  it('is flaky if it fails and passes with the same texts', async () => {
    const agent = await strictAgent();
    await agent.write('data/flag.txt', '0');
    await agent.write(S, TEST.replace('expect(', "expect(tgp.read_file('data/flag.txt')).toBe('1'); expect("));
    await agent.tried(T);
    await agent.write(T, TOOL);
    expect(await agent.stateOf()).toMatchObject({ reason: 'red' });
    await agent.write('data/flag.txt', '1');
    expect(await agent.tried(T)).toMatchObject({ ok: true, state: { phase: 'red', reason: 'flaky' } });
    await agent.refused(agent.run(), { path: T });
  });

  it('cannot count its runs with scratch files or random numbers', async () => {
    const agent = await strictAgent();
    const counter = `let n = 0;\ntry { n = Number(tgp.read_file('/tmp/n')); } catch { n = 0; }\ntgp.write_file('/tmp/n', String(n + 1));\n`;
    await agent.write(S, TEST.replace('describe(', `${counter}test('late', () => { expect(n).toBe(1); });\ndescribe(`));
    await agent.tried(T);
    await agent.write(T, TOOL);
    for (let i = 0; i < 3; i++) expect(await agent.stateOf()).toEqual({ phase: 'red', reason: 'red' });
    await agent.forge(P, testOf('plain').replace('expect(', 'expect(Math.random()).toBeLessThan(1); expect('), PLAIN);
    for (let i = 0; i < 3; i++) expect(await agent.stateOf(P)).toMatchObject({ phase: 'green' });
  });
});

describe('a tool that is written before its test failed', () => {
  it.each([
    ['does not exist', undefined, 'no_test'],
    ['was not run', testOf('plain'), 'not_run'],
    ['does not compile', `${HEAD}const = 1;`, 'broken'],
    ['has no case', HEAD, 'empty'],
    ['passes', `${HEAD}test('a', () => { expect(1).toBe(1); });`, 'vacuous'],
    ['throws', `${HEAD}throw new Error('no');`, 'broken'],
    ['imports a missing file', `${HEAD}import x from './none';\ntest('a', () => { expect(x).toBe(1); });`, 'broken'],
  ])('is refused when the test %s', async (_, test, reason) => {
    const agent = await strictAgent();
    if (test !== undefined) await agent.write(PT, test);
    if (test !== undefined && reason !== 'not_run') await agent.tried(P);
    const { details } = await agent.refused(agent.write(P, PLAIN), { test: testOf('plain'), tool: PLAIN });
    expect(details).toMatchObject({ path: P, test: PT, reason });
    for (const ending of ['js', 'mjs', 'mts', 'cts']) {
      await expect(agent.write(`tools/plain.${ending}`, 'export default () => 1;\n')).rejects.toMatchObject({
        code: 'ERR_STATE',
      });
    }
    await agent.tried(P);
    expect(await agent.write(P, PLAIN)).toMatchObject({ success: true });
    expect(await agent.stateOf(P)).toMatchObject({ phase: 'green' });
  });

  it.each(['./tools/plain.ts', 'tools//plain.ts', 'tools/./plain.ts'])('is the same file as %s', async (path) => {
    const agent = await strictAgent();
    await agent.refused(agent.write(path, PLAIN), { test: testOf('plain') });
  });

  it('cannot be created by a move from another folder or name', async () => {
    const agent = await strictAgent({ exempt: ['tools/scratch/**'] });
    await agent.write('tools/scratch/plain.ts', PLAIN);
    await agent.write('notes/plain.txt', PLAIN);
    for (const from of ['tools/scratch/plain.ts', 'notes/plain.txt']) {
      await agent.refused(agent.call('move_file', { from, to: P }), { test: testOf('plain') });
      await agent.call('delete_file', { path: PT });
    }
    await agent.forge();
    const { details } = await agent.refused(agent.call('move_file', { from: T, to: 'tools/sum.ts' }));
    expect(details.mustComeFirst).toMatchObject([{ tool: 'move_file', path: S, to: 'tools/sum.test.ts' }]);
    await agent.call('move_file', { from: T, to: 'tools/sum.ts' });
    expect(await agent.run('tools/sum.ts')).toMatchObject({ code: 'ERR_STATE' });
    expect(await agent.stateOf('tools/sum.ts')).toMatchObject({ phase: 'green' });
    expect(await agent.run('tools/sum.ts')).toMatchObject({ result: 3 });
  });

  it('cannot be restored by a revert', async () => {
    const agent = await strictAgent();
    await agent.forge();
    const [{ commit }] = await agent.kernel.git.log(T);
    await agent.call('delete_file', { path: T });
    await agent.call('delete_file', { path: S });
    await agent.refused(agent.call('revert_file', { path: T, commit }));
  });

  it('cannot be written by a run', async () => {
    const agent = await strictAgent({ fs: { allowedDirs: [] } });
    const writer = `/** Writes. */\nexport default function writer(args: { path: string }): unknown {\n  return args.path === '' ? 0 : tgp.write_file(args.path, 'export default () => 1;');\n}\n`;
    const test = `${HEAD}import writer from './writer';\ntest('w', () => { expect(writer({ path: '' })).toBe(0); });\n`;
    await agent.forge('tools/writer.ts', test, writer);
    for (const path of [P, './tools/plain.ts', S]) {
      expect(await agent.run('tools/writer.ts', { path })).toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
    }
    expect(await agent.run('tools/writer.ts', { path: '/tmp/plain.ts' })).toMatchObject({ success: true });
    expect(await agent.run('/tmp/plain.ts', {})).toMatchObject({ success: false, code: 'ERR_SECURITY_VIOLATION' });
  });

  it.each(['lib/plain.ts', 'plain.ts', 'Tools/plain.ts', 'tests/plain.ts'])(
    'cannot be in another place: %s',
    async (path) => {
      const agent = await strictAgent();
      await expect(agent.write(path, PLAIN)).rejects.toMatchObject({ code: 'ERR_SECURITY_VIOLATION' });
      expect(await agent.run(path, {})).toMatchObject({ code: 'ERR_NOT_FOUND' });
    },
  );

  it('is refused in a dry run too, while runs can be previewed', async () => {
    const agent = await strictAgent();
    const dry = agent.call('write_file', { path: P, content: PLAIN }, { dryRun: true });
    await agent.refused(dry, { test: testOf('plain') });
    await agent.refused(agent.write(P, PLAIN), { test: testOf('plain') });
    const longer = { path: 'tools/plain.test.ts', content: `${testOf('plain')}// More cases.\n` };
    expect(await agent.call('write_file', longer, { dryRun: true })).toMatchObject({
      dryRun: true,
      diffs: [{ path: longer.path }],
    });
    expect(await agent.call('run_code', { code: 'export default () => 5;' }, { dryRun: true })).toMatchObject({
      result: 5,
    });
    await agent.kernel.vfs.writeFile(P, PLAIN);
    expect(await agent.call('exec_tool', { path: P, args: {} }, { dryRun: true })).toMatchObject({ result: 'P' });
    expect(await agent.run(P, {})).toMatchObject({ code: 'ERR_STATE' });
  });
});

describe('a tool that is not green', () => {
  it.each([
    ['write_file', { path: T, content: WRONG }],
    ['patch_file', { path: T, search: 'sum + row', replace: 'sum - row' }],
    ['apply_diff', { path: T, diff: '<<<<<<< SEARCH\nsum + row\n=======\nsum - row\n>>>>>>> REPLACE' }],
  ])('is not run after %s', async (tool, args) => {
    const agent = await strictAgent();
    await agent.forge();
    const changes = tool === 'apply_diff' ? { path: T, diff: diffOf() } : args;
    await agent.call(tool, changes);
    const { details } = await agent.refused(agent.run(), { path: T });
    expect(details).toMatchObject({ state: 'changed', mustComeFirst: [{ tool: 'test_tool', path: T }] });
    expect(await agent.run()).toMatchObject({ code: 'ERR_STATE', error: expect.stringContaining('fails') });
    // The old text passed its test, and still counts.
    await agent.write(T, TOOL);
    expect(await agent.run()).toMatchObject({ result: 3 });
  });

  it('is not run after a revert to a failing text, but after one to a passing text', async () => {
    const agent = await strictAgent();
    await agent.forge();
    await agent.write(T, WRONG);
    await agent.tried(T);
    const [wrong, right] = await agent.kernel.git.log(T);
    await agent.call('revert_file', { path: T, commit: right?.commit });
    expect(await agent.run()).toMatchObject({ result: 3 });
    await agent.call('revert_file', { path: T, commit: wrong?.commit });
    await agent.refused(agent.run(), { path: T });
  });

  it.each([
    ['a module', 'tools/rate.ts', 'export const rate = 2;\n', 'export const rate = 3;\n', './rate', '{ rate }'],
    ['data', 'data/rate.json', '{ "rate": 2 }', '{ "rate": 3 }', '../data/rate.json', '{ rate }'],
  ])('is not run when %s that it imports has changed', async (_, path, before, after, from, names) => {
    const agent = await strictAgent();
    if (path.endsWith('.ts')) {
      await agent.forge(
        path,
        `${HEAD}import { rate } from './rate';\ntest('r', () => { expect(rate).toBeGreaterThan(0); });\n`,
        before,
      );
    } else await agent.write(path, before);
    const imported = path.endsWith('.ts')
      ? `import ${names} from '${from}';`
      : `import data from '${from}';\nconst { rate } = data;`;
    const tool = `/** Doubles. */\n${imported}\nexport default (_args: object): number => rate;\n`;
    await agent.forge(P, testOf('plain').replace("toBe('P')", 'toBeGreaterThan(1)'), tool);
    await agent.write(path, after);
    await agent.refused(agent.run(P, {}), { path: P });
    expect(await agent.run(P, {})).toMatchObject({ result: 3 });
  });

  it('is not run through external edits, forged tools, live tools, tokens or other call formats', async () => {
    const agent = await strictAgent();
    await agent.forge();
    const live = /** @type {any} */ (await agent.kernel.liveTools(agent.tools));
    const forged = /** @type {any} */ (await agent.kernel.tools());
    expect(await live.total.execute(ROWS)).toMatchObject({ result: 3 });
    await agent.kernel.vfs.writeFile(T, WRONG);
    const { token } = await agent.kernel.issueToken({ allow: ['read', 'write', 'run'] });
    const holder = tgpTools(agent.kernel, { token });
    const args = { path: T, args: ROWS };
    const calls = [live.total.execute(ROWS), forged.total.execute(ROWS), holder.exec_tool.execute(args), agent.run()];
    for (const made of await Promise.all(calls)) {
      expect(made).toMatchObject({ success: false, code: 'ERR_STATE', error: expect.stringContaining('test_tool') });
    }
    await expect(holder.write_file.execute({ path: P, content: PLAIN })).rejects.toMatchObject({ code: 'ERR_STATE' });
    const toolCall = { id: '1', type: 'function', function: { name: 'exec_tool', arguments: JSON.stringify(args) } };
    const { content } = await handleToolCall(agent.tools, /** @type {any} */ (toolCall));
    expect(content).toContain('ERR_STATE');
    for (const more of [{ mode: 'explore' }, { dryRun: true }, { accept: true }]) {
      await expect(agent.call('exec_tool', { ...args, ...more })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
      await expect(agent.call('test_tool', { path: T, ...more })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    }
    expect(await agent.call('exec_tool', args, { mode: 'explore' })).toMatchObject({ code: 'ERR_STATE' });
    await agent.refused(agent.run(), { path: T });
  });

  it('is not run by another tool, and not by code without a file', async () => {
    const agent = await strictAgent();
    const caller = `/** Calls. */\nexport default async function caller(args: { path: string }): Promise<unknown> {\n  return args.path === '' ? 0 : await tgp.exec_tool(args.path, { rows: [1, 2] });\n}\n`;
    const test = `${HEAD}import caller from './caller';\ntest('c', async () => { expect(await caller({ path: '' })).toBe(0); });\n`;
    await agent.forge();
    await agent.forge('tools/caller.ts', test, caller);
    expect(await agent.run('tools/caller.ts', { path: T })).toMatchObject({ result: 3 });
    await agent.kernel.vfs.writeFile(P, PLAIN);
    await agent.write(T, WRONG);
    for (const path of [P, T]) {
      expect(await agent.run('tools/caller.ts', { path })).toMatchObject({ success: false, code: 'ERR_STATE' });
      await agent.refused(agent.run(path), { path, test: testOf('plain') });
    }
    const code = `export default async () => await tgp.exec_tool('${P}', {});`;
    expect(await agent.call('run_code', { code })).toMatchObject({ success: false, code: 'ERR_STATE' });
    await agent.refused(agent.kernel.run(code, {}, { mode: 'strict' }), { test: testOf('name') });
    // A test is not a tool, whatever it exports.
    await agent.write('tools/x.test.ts', PLAIN);
    await agent.refused(agent.run('tools/x.test.ts', {}), { path: 'tools/x.test.ts' });
  });

  it('is not run by concurrent calls', async () => {
    const agent = await strictAgent();
    await agent.forge();
    for (let i = 0; i < 5; i++) {
      const bad = TOOL.replace('row, 0)', `row, ${1000 + i})`);
      const many = Array.from({ length: 6 }, () => agent.run());
      const done = await Promise.all([agent.run(), agent.write(T, bad), ...many, agent.tried(T), agent.run()]);
      for (const { success, result, code } of done.filter((each) => 'logs' in each)) {
        expect(success ? result : code).toBeOneOf([3, 'ERR_STATE']);
      }
      expect(await agent.run()).toMatchObject({ code: 'ERR_STATE' });
      await agent.write(T, TOOL);
    }
  });

  it('does not become green by a test that ran while the tool changed', async () => {
    const agent = await strictAgent();
    const slow = testOf('plain').replace('() => {', 'async () => { await new Promise((r) => setTimeout(r, 1000));');
    await agent.write(PT, slow);
    await agent.tried(P);
    await agent.write(P, PLAIN);
    const running = agent.tried(P);
    // It has begun by then, also on a busy machine, and has not ended.
    await new Promise((done) => setTimeout(done, 300));
    await agent.write(P, PLAIN.replace("'P'", "'Q'"));
    await running;
    await agent.refused(agent.run(P, {}), { path: P });
    expect(await agent.run(P, {})).toMatchObject({ code: 'ERR_STATE' });
  });

  it('is not run or written over MCP', async () => {
    const { kernel, ...agent } = await strictAgent();
    await agent.forge();
    await agent.write(T, WRONG);
    const [here, there] = InMemoryTransport.createLinkedPair();
    await (await createMcpServer(kernel)).connect(there);
    const client = new Client({ name: 'desk', version: '1' });
    await client.connect(here);
    onTestFinished(() => client.close());
    const callTool = async (/** @type {string} */ name, /** @type {any} */ args) => {
      const { content, isError } = /** @type {any} */ (await client.callTool({ name, arguments: args }));
      return { isError, text: content[0].text };
    };
    const calls = { exec_tool: { path: T, args: ROWS }, total: ROWS, write_file: { path: P, content: PLAIN } };
    for (const [name, args] of Object.entries(calls)) {
      expect(await callTool(name, args)).toMatchObject({ isError: true, text: expect.stringContaining('First') });
    }
    expect(await callTool('test_tool', { path: T })).toMatchObject({
      text: expect.stringContaining('expected -3 to be 3'),
    });
  });
});

function diffOf() {
  const [line] = TOOL.split('\n').filter((each) => each.includes('sum + row'));
  return `<<<<<<< SEARCH\n${line}\n=======\n${line?.replace('sum + row', 'sum - row')}\n>>>>>>> REPLACE`;
}
