import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bareRemote, clone, git, SOUND, soundness } from '../helpers/git_remote.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const SOURCE = `/** The n-th Fibonacci number. */
export default function (args: { n: number }): number {
  return Array.from({ length: args.n }).reduce<[number, number]>(([a, b]) => [b, a + b], [0, 1])[0];
}
`;

test('an agent that starts in an empty folder forges a tool; the next agent, in another process, finds and runs it', async () => {
  const folder = await tempRoot();
  await writeFile(join(folder, 'tgp.config.ts'), "export default { rootDir: './.tgp' };\n");
  const first = await runProgram(
    folder,
    `const kernel = new TGP({ configFile: './tgp.config.ts' });
    const tools = tgpTools(kernel);
    const before = await tools.list_files.execute({ dir: '.' });
    const path = 'tools/math/fib.ts';
    const written = await tools.write_file.execute({ path, content: ${JSON.stringify(SOURCE)} });
    const checked = await tools.check_tool.execute({ path });
    const ran = await tools.exec_tool.execute({ path, args: { n: 10 } });
    await kernel.shutdown();
    console.log(JSON.stringify({ before, written, checked, ran }));`,
  );
  expect(first.before).toEqual([]);
  expect(first.written).toMatchObject({ success: true, persisted: true });
  expect(first.checked).toMatchObject({ valid: true, errors: [] });
  expect(first.ran).toMatchObject({ success: true, result: 55 });

  const next = await runProgram(
    folder,
    `const kernel = new TGP();
    const tools = tgpTools(kernel);
    const source = await tools.read_file.execute({ path: 'tools/math/fib.ts' });
    const ran = await tools.exec_tool.execute({ path: 'tools/math/fib.ts', args: { n: 20 } });
    await kernel.shutdown();
    console.log(JSON.stringify({ source, ran }));`,
  );
  expect(next).toMatchObject({ source: SOURCE, ran: { success: true, result: 6765 } });

  const clone = join(folder, 'clone');
  execFileSync('git', ['clone', '-q', join(folder, '.tgp'), clone]);
  expect(await readFile(join(clone, 'tools/math/fib.ts'), 'utf8')).toBe(SOURCE);
  execFileSync('git', ['-C', clone, 'fsck', '--full', '--strict'], { stdio: 'ignore' });
  expect(execFileSync('git', ['-C', join(folder, '.tgp'), 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
});

test('an agent on a serverless machine pushes its tool to a remote; the next one, on another machine, hydrates and reuses it', async () => {
  const { folder, remote } = await bareRemote();
  const machine = async (/** @type {string} */ name) => {
    const home = join(folder, name);
    await mkdir(home);
    await writeFile(join(home, 'tgp.config.ts'), `export default { git: { repo: ${JSON.stringify(remote)} } };\n`);
    return home;
  };

  const first = await machine('first');
  const forged = await runProgram(
    first,
    `const kernel = new TGP({ configFile: './tgp.config.ts' });
    const tools = tgpTools(kernel);
    await kernel.boot();
    const before = await tools.list_files.execute({ dir: '.' });
    const found = await tools.find_tool.execute({ query: 'the n-th fibonacci number' });
    const path = 'tools/math/fib.ts';
    const written = await tools.write_file.execute({ path, content: ${JSON.stringify(SOURCE)} });
    const checked = await tools.check_tool.execute({ path });
    const ran = await tools.exec_tool.execute({ path, args: { n: 10 } });
    await kernel.sync();
    await kernel.shutdown();
    console.log(JSON.stringify({ before, found, written, checked, ran }));`,
  );
  expect(forged).toMatchObject({
    before: [],
    found: [],
    written: { success: true, persisted: true },
    checked: { valid: true, errors: [] },
    ran: { success: true, result: 55 },
  });
  expect((await readdir(first)).sort()).toEqual(['.tgp', 'tgp.config.ts']);

  const judge = clone(folder, remote);
  expect(await readFile(join(judge, 'tools/math/fib.ts'), 'utf8')).toBe(SOURCE);
  expect(git(judge, 'rev-parse', 'HEAD')).toBe(forged.written.commit);

  const reused = await runProgram(
    await machine('second'),
    `const kernel = new TGP({ configFile: './tgp.config.ts' });
    const tools = tgpTools(kernel);
    const [best] = await tools.find_tool.execute({ query: 'the n-th fibonacci number' });
    const ran = await tools.exec_tool.execute({ path: best.path, args: { n: 20 } });
    const { math_fib } = await kernel.tools();
    const direct = await math_fib.execute({ n: 30 });
    await kernel.sync();
    await kernel.shutdown();
    console.log(JSON.stringify({ best, ran, direct }));`,
  );
  expect(reused).toMatchObject({
    best: { path: 'tools/math/fib.ts' },
    ran: { success: true, result: 6765 },
    direct: { success: true, result: 832_040 },
  });
  expect(reused.best.score, 'above this it is the same job').toBeGreaterThan(0.85);
  expect(git(remote, 'rev-parse', 'main'), 'nothing was written again').toBe(forged.written.commit);
  expect(soundness(join(folder, 'second', '.tgp'))).toEqual(SOUND);
});
