import { describe, expect, it } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const PROGRAM = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { setFlagsFromString } from 'node:v8';
  import { runInNewContext } from 'node:vm';
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const status = (pid) => {
    try { return readFileSync('/proc/' + pid + '/status', 'utf8'); } catch { return ''; }
  };
  const field = (text, name) => Number(new RegExp('^' + name + ':\\\\s+(\\\\d+)', 'm').exec(text)?.[1] ?? 0);
  const measure = () => {
    collect();
    const own = status('self');
    const workers = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map(status)
      .filter((text) => text.startsWith('Name:\\ttgp-sandbox') && field(text, 'PPid') === process.pid);
    return {
      heapMb: process.memoryUsage().heapUsed / 1048576,
      hostMb: field(own, 'VmRSS') / 1024,
      threads: field(own, 'Threads'),
      files: readdirSync('/proc/self/fd').length,
      workers: workers.length,
      workersMb: workers.reduce((sum, text) => sum + field(text, 'VmRSS') / 1024, 0),
    };
  };
  const kernel = new TGP({
    config: { rootDir: './.tgp', sandbox: { workers: 2, warm: 2, timeoutMs: 1000 } },
    sandboxAPI: { echo: (text) => text },
  });
  await tgpTools(kernel).write_file.execute({
    path: 'tools/job.ts',
    content: "export default async (args: { n: number }) => { tgp.write_file('/tmp/a.txt', 'x'.repeat(1000)); console.log('hello', args.n); return [await tgp.echo('y'.repeat(100)), tgp.read_file('/tmp/a.txt').length] }",
  });
  const many = async (runs) => {
    let left = runs;
    const lane = async () => { while (left-- > 0) await kernel.exec('tools/job.ts', { n: left }); };
    await Promise.all([lane(), lane(), lane(), lane()]);
  };
  // The garbage collector has not reached its steady size before.
  await many(2400);
  const before = measure();
  await many(2400);
  // Between two collections memory varies by more than the limits below, so the smallest sample counts.
  const samples = [];
  while (samples.length < 5) {
    await many(100);
    samples.push(measure());
  }
  const least = (name) => Math.min(...samples.map((sample) => sample[name]));
  const after = Object.fromEntries(Object.keys(before).map((name) => [name, least(name)]));
  await kernel.shutdown();
  console.log(JSON.stringify({ before, after }));
`;

describe.skipIf(process.platform !== 'linux')('memory of many runs', () => {
  it('does not grow between 2400 and 4800 runs: heap, host, threads, descriptors and workers', async () => {
    const { before, after } = await runProgram(await tempRoot(), PROGRAM);
    expect(after.heapMb - before.heapMb).toBeLessThan(2);
    expect(after.hostMb - before.hostMb).toBeLessThan(24);
    expect(after.workersMb - before.workersMb).toBeLessThan(24);
    expect(after.workers).toBe(2);
    expect(after.threads).toBeLessThanOrEqual(before.threads + 1);
    expect(after.files).toBeLessThanOrEqual(before.files + 1);
  });
});
