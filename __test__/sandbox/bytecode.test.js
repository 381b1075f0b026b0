import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { TGP, tgpTools } from '../../index.js';
import { tempRoot } from '../helpers/temp_root.js';

const TOOL = `import { z } from 'zod';
const schema = z.object({ n: z.number().min(1) });
export default (args: { n: number }) => schema.safeParse(args).success;
`;

/** A root with a tool that imports zod, and kernels on it. */
async function forged() {
  const rootDir = await tempRoot();
  /** @param {'process' | 'thread'} [isolation] */
  const start = (isolation = 'process') => {
    const config = { rootDir, allowedImports: ['zod'], sandbox: { timeoutMs: 2000, isolation } };
    const kernel = new TGP({ config });
    onTestFinished(() => kernel.shutdown());
    return kernel;
  };
  const first = start();
  await tgpTools(first).write_file.execute({ path: 'tools/t.ts', content: TOOL });
  await first.shutdown();
  const folder = join(rootDir, '.git/tgp/bytecode');
  /** Runs the tool in a new kernel. @param {'process' | 'thread'} [isolation] */
  const fresh = async (isolation) => {
    const kernel = start(isolation);
    const results = [await kernel.exec('tools/t.ts', { n: 2 }), await kernel.exec('tools/t.ts', { n: 0 })];
    await kernel.shutdown();
    expect(results.map(({ result }) => result)).toEqual([true, false]);
  };
  /** Runs the tool in a new kernel, which runs until it has stored bytecode other than `before`. @param {Buffer} [before] */
  const runUntilStored = async (before = Buffer.alloc(0)) => {
    const kernel = start();
    expect((await kernel.exec('tools/t.ts', { n: 2 })).result).toBe(true);
    await vi.waitFor(async () => expect((await storedFile()).content.equals(before)).toBe(false), 20_000);
    await kernel.shutdown();
  };
  /** The only stored file; `written` changes when it is written again. */
  const storedFile = async () => {
    const names = await readdir(folder);
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{64}-[0-9a-f]{16}\.bin$/)]);
    const path = join(folder, String(names[0]));
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    return { path, written: `${ino} ${mtimeNs}`, content: await readFile(path) };
  };
  return { start, fresh, runUntilStored, storedFile, folder };
}

describe('bytecode of a package', () => {
  it('is compiled once and used by later kernels with any isolation', async () => {
    const { fresh, runUntilStored, storedFile } = await forged();
    await runUntilStored();
    const { written, content } = await storedFile();
    expect(content.length).toBeGreaterThan(100_000);
    await fresh();
    await fresh('thread');
    expect((await storedFile()).written).toBe(written);
  });

  it('is missing in the first run, whose CPU time does not count the load of packages', async () => {
    const kernel = new TGP({
      config: { rootDir: await tempRoot(), allowedImports: ['zod'], sandbox: { timeoutMs: 5 } },
    });
    onTestFinished(() => kernel.shutdown());
    const tools = tgpTools(kernel);
    await tools.write_file.execute({ path: 'tools/t.ts', content: TOOL });
    expect((await kernel.exec('tools/t.ts', { n: 2 })).result).toBe(true);
    // The load is that of the package only: the tool still times out.
    await tools.write_file.execute({ path: 'tools/endless.ts', content: `import 'zod';\nfor (;;) {}\n` });
    await expect(kernel.exec('tools/endless.ts')).rejects.toMatchObject({
      code: 'ERR_ISOLATE_TIMEOUT',
      message: expect.stringContaining('sandbox.timeoutMs'),
    });
  });

  it('that is truncated, damaged, foreign or missing is ignored and compiled again', async () => {
    const { fresh, runUntilStored, storedFile } = await forged();
    await runUntilStored();
    const { path, content } = await storedFile();
    const flipped = Buffer.from(content);
    flipped.writeUInt8(flipped.readUInt8(5000) ^ 1, 5000);
    for (const damaged of [content.subarray(0, -1), flipped, Buffer.alloc(content.length), Buffer.alloc(0)]) {
      await writeFile(path, damaged);
      await runUntilStored(damaged);
      const again = await storedFile();
      await fresh();
      expect((await storedFile()).written).toBe(again.written);
    }
    await rm(path);
    await runUntilStored();
  });

  it('is stored by a kernel that serves a single run', async () => {
    const { fresh, storedFile } = await forged();
    await vi.waitFor(async () => {
      await fresh();
      await storedFile();
    }, 60_000);
  });

  it('is not stored without a writable root, and tools still run', async () => {
    const { fresh, folder } = await forged();
    await writeFile(folder, 'a file where the folder should be');
    await fresh();
    expect(await readFile(folder, 'utf8')).toBe('a file where the folder should be');
  });

  it('cannot be reached by guests or by the tools of the kernel', async () => {
    const { start, runUntilStored, storedFile } = await forged();
    await runUntilStored();
    const { path, written } = await storedFile();
    const name = path.slice(path.indexOf('.git'));
    const kernel = start();
    const tools = tgpTools(kernel);
    await tools.write_file.execute({
      path: 'tools/reach.ts',
      content: `export default async (args: { name: string; path: string }) => {
        const codes: string[] = [];
        const names = [args.name, '/' + args.name, '/lib/../' + args.name, '../' + args.name, args.path];
        for (const attempt of names.flatMap((name) => [
          () => tgp.read_file(name), () => tgp.write_file(name, 'x'), () => tgp.list_files(name.slice(0, name.lastIndexOf('/'))),
        ])) {
          try { codes.push('reached ' + JSON.stringify(await attempt()).slice(0, 50)); } catch (error: any) { codes.push(error.code); }
        }
        return codes;
      };`,
    });
    const { result } = await kernel.exec('tools/reach.ts', { name, path });
    expect(result).toEqual(Array(15).fill('ERR_SECURITY_VIOLATION'));
    await expect(tools.read_file.execute({ path: name })).rejects.toThrow('Security Violation');
    await expect(tools.write_file.execute({ path: name, content: 'x' })).rejects.toThrow('Security Violation');
    expect((await storedFile()).written).toBe(written);
  });
});
