import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

test('an agent patches an outdated tool of an earlier process: it then returns what it used to log', async () => {
  const folder = await tempRoot();
  await runProgram(
    folder,
    `const kernel = new TGP();
    await tgpTools(kernel).write_file.execute({ path: 'tools/legacy.ts', content: 'console.log("old")\\n' });
    await kernel.shutdown();
    console.log('null');`,
  );
  const report = await runProgram(
    folder,
    `const kernel = new TGP();
    const { read_file, patch_file, exec_tool } = tgpTools(kernel);
    const path = 'tools/legacy.ts';
    const before = await exec_tool.execute({ path });
    const source = await read_file.execute({ path });
    const patched = await patch_file.execute({ path, search: 'console.log(', replace: 'return (' });
    const after = await exec_tool.execute({ path });
    await kernel.shutdown();
    console.log(JSON.stringify({ before, source, patched, after }));`,
  );
  expect(report.before).toMatchObject({ success: true, result: null, logs: [{ level: 'log', message: 'old' }] });
  expect(report.source).toBe('console.log("old")\n');
  expect(report.patched).toMatchObject({ success: true, persisted: true });
  expect(report.after).toMatchObject({ success: true, result: 'old', logs: [] });
  expect(await readFile(join(folder, '.tgp/tools/legacy.ts'), 'utf8')).toBe('return ("old")\n');
});
