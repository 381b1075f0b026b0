import { chmod, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compromisedWorkers } from '../helpers/compromised_workers.js';
import { runProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const BOOT = `
  const kernel = new TGP({ config: { rootDir: './.tgp', sandbox: { isolation: process.env.ISOLATION } } });
  const forge = async () => {
    await tgpTools(kernel).write_file.execute({ path: 'tools/one.ts', content: 'return (1).toLocaleString()' });
    return kernel.exec('tools/one.ts');
  };
  const outcome = await forge().then(() => 'ran', ({ code, message }) => ({ code, message }));
  await kernel.shutdown();
  console.log(JSON.stringify(outcome));`;

describe('a deployment without file modes', () => {
  it('is reported by confinement() and by a run', async () => {
    const folder = await tempRoot();
    const env = await compromisedWorkers(join(folder, 'native'));
    await chmod(join(folder, 'native', 'tgp-sandbox'), 0o644);
    const outcome = await runProgram(
      folder,
      `const kernel = new TGP({ config: { rootDir: './.tgp' } });
      const outcome = await kernel.confinement().then(() => 'reported', ({ code, message }) => ({ code, message }));
      await kernel.shutdown();
      console.log(JSON.stringify(outcome));`,
      env,
    );
    expect(outcome).toMatchObject({
      code: 'ERR_ISOLATE_CRASHED',
      message: expect.stringContaining('permission denied'),
    });
  });
});

describe('a deployment without the locale data', () => {
  it.each(['process', 'thread'])('is reported with the path of the missing file (%s)', async (ISOLATION) => {
    const folder = await tempRoot();
    const env = { ...(await compromisedWorkers(join(folder, 'native'))), ISOLATION };
    const data = join(folder, 'native', 'tgp.icu');
    await unlink(data);
    const missing = await runProgram(folder, BOOT, env);
    expect(missing).toMatchObject({ code: 'ERR_IO', message: expect.stringContaining(`${data} is missing`) });
    expect(missing.message).toMatch(/beside the native library, or reinstall @tgp\/core/);
  });

  it('is reported for a truncated file too', async () => {
    const folder = await tempRoot();
    const env = { ...(await compromisedWorkers(join(folder, 'native'))), ISOLATION: 'thread' };
    const data = join(folder, 'native', 'tgp.icu');
    await unlink(data);
    await writeFile(data, 'torn');
    expect(await runProgram(folder, BOOT, env)).toMatchObject({
      code: 'ERR_ISOLATE_CRASHED',
      message: expect.stringMatching(/could not be started|cannot be started/),
    });
  });
});
