import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { git, SOUND, soundness } from '../helpers/git_remote.js';

/** @param {string} rootDir */
function looseObjects(rootDir) {
  const folder = join(rootDir, '.git/objects');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /^[0-9a-f]{2}.[0-9a-f]{38}$/.test(name)).map((name) => join(folder, name));
}

/**
 * Simulates a file system that failed and was remounted: every file that was not flushed is empty.
 * @param {string} rootDir
 * @param {string[]} kept the objects that were flushed
 */
function loseUnflushed(rootDir, kept) {
  for (const path of looseObjects(rootDir).filter((path) => !kept.includes(path))) {
    chmodSync(path, 0o644);
    writeFileSync(path, '');
  }
  writeFileSync(join(rootDir, 'tools/b.ts'), '');
}

/**
 * A flushed tool, and a tool whose write was lost.
 * @param {'HEAD is empty' | 'the branch is empty' | 'the branch is whole'} branch
 * @param {'running' | 'shut down'} kernelState when the file system fails
 */
async function lostWrite(branch, kernelState) {
  const { kernel, tools, rootDir } = await createKernel({ sandbox: { warm: 0 } });
  const write = (/** @type {string} */ name) =>
    tools.write_file.execute({ path: `tools/${name}.ts`, content: `return '${name}'` });
  expect(await write('a')).toMatchObject({ persisted: true });
  const kept = looseObjects(rootDir);
  const written = await write('b');
  if (kernelState === 'shut down') await kernel.shutdown();
  loseUnflushed(rootDir, kept);
  if (branch === 'HEAD is empty') writeFileSync(join(rootDir, '.git/HEAD'), '');
  if (branch === 'the branch is empty') writeFileSync(join(rootDir, '.git/refs/heads/main'), '');
  return { rootDir, write, written };
}

// Other systems flush every object and have no redo log.
describe.runIf(existsSync('/proc/sys/kernel/random/boot_id'))('a file system that failed and was remounted', () => {
  const cases = /** @type {const} */ (['HEAD is empty', 'the branch is empty', 'the branch is whole']);

  it.each(cases)('is recovered by the next boot without a reboot of the machine: %s', async (branch) => {
    const { rootDir, written } = await lostWrite(branch, 'shut down');
    const again = await createKernel({ rootDir, sandbox: { warm: 0 } });
    await again.kernel.boot();
    expect(git(rootDir, 'log', '--format=%H', '-1', '--', 'tools/b.ts')).toBe(written.commit);
    expect(readFileSync(join(rootDir, 'tools/b.ts'), 'utf8')).toBe("return 'b'");
    expect((await again.kernel.exec('tools/b.ts')).result).toBe('b');
    await again.kernel.shutdown();
    expect(soundness(rootDir)).toEqual(SOUND);
  });

  it.each(cases)('is recovered by the next write: %s', async (branch) => {
    const { rootDir, write, written } = await lostWrite(branch, 'running');
    expect(await write('c')).toMatchObject({ persisted: true });
    expect(git(rootDir, 'log', '--format=%H', '-1', '--', 'tools/b.ts')).toBe(written.commit);
    expect(git(rootDir, 'show', 'HEAD:tools/b.ts')).toBe("return 'b'");
    expect(git(rootDir, 'fsck', '--full', '--strict', '--no-dangling', '--no-progress')).toBe('');
  });

  it('without the redo log is a boot error, not an empty repository', async () => {
    const { rootDir } = await lostWrite('the branch is whole', 'shut down');
    rmSync(join(rootDir, '.git/tgp-redo'));
    const again = await createKernel({ rootDir, sandbox: { warm: 0 } });
    await expect(again.kernel.boot()).rejects.toMatchObject({
      code: 'ERR_GIT',
      message: expect.stringContaining('missing or damaged'),
    });
  });
});
