import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const SOURCE = `/** The n-th Fibonacci number. */
export default function (args: { n: number }): number {
  return Array.from({ length: args.n }).reduce<[number, number]>(([a, b]) => [b, a + b], [0, 1])[0];
}
`;

test('an agent that wakes up in an empty folder forges a tool; the next agent, in another process, finds and runs it', async () => {
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
