/** A write flushes files to the disk; a run does not. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const SOURCE = fileURLToPath(new URL('../helpers/sync_log.c', import.meta.url));

const PROGRAM = `
  const { existsSync, readFileSync, rmSync } = await import('node:fs');
  const flushed = () => {
    const log = process.env.SYNC_LOG;
    const paths = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\\n') : [];
    rmSync(log, { force: true });
    return paths;
  };
  const kernel = new TGP({ config: { rootDir: 'root', ledger: false } });
  const tools = tgpTools(kernel);
  await tools.write_file.execute({ path: 'tools/a.ts', content: 'return args.n' });
  const byWrite = flushed();
  for (let n = 0; n < 200; n++) await tools.exec_tool.execute({ path: 'tools/a.ts', args: { n } });
  await tools.find_tool.execute({ query: 'a number' });
  const byRuns = flushed();
  await kernel.shutdown();
  console.log(JSON.stringify({ byWrite, byRuns }));
`;

test('a write flushes files to the disk, and runs do not', async (context) => {
  const folder = await tempRoot();
  const library = join(folder, 'sync_log.so');
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, SOURCE], { encoding: 'utf8' });
  if (process.platform !== 'linux' || made.error) return context.skip('needs Linux and a C compiler');
  expect(made.stderr).toBe('');
  const env = { LD_PRELOAD: library, SYNC_LOG: join(folder, 'flushed') };
  const { byWrite, byRuns } = await runProgram(folder, PROGRAM, env);
  expect(byWrite).not.toEqual([]);
  expect(byRuns).toEqual([]);
});
