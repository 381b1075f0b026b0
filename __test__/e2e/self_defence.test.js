import { expect, test } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const MB = 1 << 20;

test('an agent survives endless tools: it stays responsive, and its memory does not grow', async () => {
  const report = await runProgram(
    await tempRoot(),
    `const kernel = new TGP();
    const { write_file, exec_tool } = tgpTools(kernel);
    await write_file.execute({ path: 'tools/freeze.ts', content: 'while (true) {}' });
    await write_file.execute({ path: 'tools/fine.ts', content: 'export default () => "fine"' });
    const freeze = () => exec_tool.execute({ path: 'tools/freeze.ts' });
    const outcomes = [await freeze()];
    const before = process.memoryUsage.rss();
    let beats = 0;
    const heart = setInterval(() => beats++, 5);
    for (let round = 0; round < 20; round++) outcomes.push(await freeze());
    clearInterval(heart);
    const thrown = await kernel.exec('tools/freeze.ts').catch((error) => error);
    const fine = await exec_tool.execute({ path: 'tools/fine.ts' });
    const grown = process.memoryUsage.rss() - before;
    await kernel.shutdown();
    console.log(JSON.stringify({ codes: outcomes.map(({ code }) => code), beats, thrown: thrown.message, fine, grown }));`,
  );
  expect(report.codes).toEqual(Array(21).fill('ERR_ISOLATE_TIMEOUT'));
  expect(report.thrown).toContain('timed out');
  expect(report.beats, 'the event loop went on').toBeGreaterThan(20);
  expect(report.fine).toMatchObject({ success: true, result: 'fine' });
  expect(report.grown).toBeLessThan(64 * MB);
});
