import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { bareRemote } from '../helpers/git_remote.js';
import { howOften } from '../helpers/how_often.js';
import { tempRoot } from '../helpers/temp_root.js';

/** @param {number} at @param {number} round */
const sourceOf = (at, round) =>
  `/** Makes report ${at} of round ${round}. */\nexport default (args: { amount: number; name?: string }): number => args.amount + ${round};\n`;

/** @param {number} at */
const pathOf = (at) => `tools/group${at % 7}/report_${at}.ts`;

/** @param {string} root @param {number} count */
async function seeded(root, count) {
  for (let at = 0; at < count; at++) {
    await mkdir(dirname(join(root, pathOf(at))), { recursive: true });
    await writeFile(join(root, pathOf(at)), sourceOf(at, 0));
  }
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args]);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Seed');
}

/** The tools that a newly booted kernel finds in a root. @param {string} rootDir */
async function rebuilt(rootDir) {
  const { kernel } = await createKernel({ rootDir, agent: { liveTools: 1_000, liveToolChars: 1_000_000 } });
  await kernel.boot();
  await kernel.registry.hydrate();
  const found = { listed: [...(await kernel.registry.list())], live: Object.keys(await kernel.liveTools({})).sort() };
  await kernel.shutdown();
  return found;
}

describe('incremental updates of the tool list, the live set and the prompt', () => {
  test('equal a full rebuild after any writes, moves, removals and fetches', async () => {
    const { folder, remote } = await bareRemote();
    const agent = { liveTools: 1_000, liveToolChars: 1_000_000 };
    const git = /** @type {const} */ ({ repo: remote });
    const own = await createKernel({ rootDir: join(folder, 'own'), agent, git });
    const other = await createKernel({ rootDir: join(folder, 'other'), agent, git });
    await own.kernel.boot();
    const live = await own.kernel.liveTools({});
    /** @type {Map<string, string>} as events report */
    const reported = new Map();
    own.kernel.onToolsChanged(({ added, changed, removed }) => {
      for (const { path } of removed) expect(reported.delete(path), path).toBe(true);
      for (const { path, name } of [...added, ...changed]) reported.set(path, name);
    });
    let seed = 11;
    const random = (/** @type {number} */ below) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return (seed >> 8) % below;
    };
    const steps = howOften({ usual: 40, long: 600 });
    for (let step = 1; step <= steps; step++) {
      const present = [...reported.keys()];
      const some = present[random(Math.max(present.length, 1))];
      const kind = random(8);
      const target = `tools/moved/step_${step}.ts`;
      if (kind === 0 && some) await own.tools.delete_file.execute({ path: some });
      else if (kind === 1 && some) await own.tools.move_file.execute({ from: some, to: target });
      else if (kind === 2) {
        // Both are synchronised first: conflicts are tested elsewhere.
        await own.kernel.sync();
        await other.kernel.sync();
        await other.tools.write_file.execute({ path: pathOf(random(30)), content: sourceOf(step, step) });
        await own.kernel.sync();
      } else if (kind === 3 && some) {
        // An external change that turns the tool into a module.
        await writeFile(join(own.rootDir, some), `export const rate = ${step};\n`);
        await own.kernel.git.persist('Change', [some]);
      } else await own.tools.write_file.execute({ path: pathOf(random(30)), content: sourceOf(step, step) });
      if (step % 10 > 0) continue;
      await own.kernel.refreshTools();
      const { listed, live: names } = await rebuilt(own.rootDir);
      expect([...(await own.kernel.registry.list())]).toEqual(listed);
      expect(Object.keys(live).sort()).toEqual(names);
      const runnable = listed.filter(({ kind: own }) => own === 'tool').map(({ path }) => path);
      expect([...reported.keys()].sort()).toEqual(runnable);
    }
  });

  test('do not read unchanged tools again', async () => {
    const { kernel, tools } = await createKernel();
    await tools.write_file.execute({ path: pathOf(1), content: sourceOf(1, 1) });
    const [before] = await kernel.registry.list();
    await tools.write_file.execute({ path: pathOf(2), content: sourceOf(2, 1) });
    await kernel.exec(pathOf(1), { amount: 1 });
    const [after, second] = await kernel.registry.list();
    expect(after?.parameters).toBe(before?.parameters);
    expect([after?.uses, before?.uses, second?.path]).toEqual([1, 0, pathOf(2)]);
    // A caller's changes to its list do not affect others.
    expect(() => Object.assign(/** @type {any} */ (after).parameters, { type: 'x' })).toThrow(TypeError);
    Object.assign(/** @type {any} */ (after), { path: 'x' });
    expect((await kernel.registry.list())[0]?.path).toBe(pathOf(1));
  });

  test('read only changes since the boot for the first list', async () => {
    const rootDir = join(await tempRoot(), '.tgp');
    const count = 600;
    for (let at = 0; at < count; at++) {
      await mkdir(dirname(join(rootDir, pathOf(at))), { recursive: true });
      await writeFile(join(rootDir, pathOf(at)), sourceOf(at, 0));
    }
    const { kernel, tools } = await createKernel({ rootDir });
    const write = (/** @type {number} */ at) =>
      tools.write_file.execute({ path: `tools/group3/new_${at}.ts`, content: sourceOf(at, 1) });
    const parse = vi.spyOn(JSON, 'parse');
    const longest = () => Math.max(...parse.mock.calls.splice(0).map(([text]) => text.length));
    try {
      // Some are written while the others are read.
      await Promise.all([kernel.boot(), ...Array.from({ length: 20 }, (_, at) => write(at))]);
      parse.mock.calls.splice(0);
      const listed = kernel.registry.list();
      expect(longest()).toBeLessThan(20_000);
      await write(20);
      parse.mock.calls.splice(0);
      expect(kernel.registry.list()).toHaveLength(count + 21);
      expect(longest()).toBeLessThan(2_000);
      const paths = listed.map(({ path }) => path);
      expect(paths).toEqual([...new Set(paths)].sort());
      expect(paths).toHaveLength(count + 20);
    } finally {
      parse.mockRestore();
    }
  });

  test('handle very many tools, and find external changes of files', async () => {
    const rootDir = join(await tempRoot(), '.tgp');
    const count = howOften({ usual: 1_200, long: 10_000 });
    await seeded(rootDir, count);
    const { kernel, tools } = await createKernel({ rootDir });
    await kernel.boot();
    expect(await kernel.registry.list()).toHaveLength(count);
    const live = await kernel.liveTools({});
    await mkdir(join(rootDir, 'tools/by_hand'), { recursive: true });
    await writeFile(join(rootDir, 'tools/by_hand/new.ts'), sourceOf(1, 1));
    await rm(join(rootDir, pathOf(1)));
    let round = 0;
    await expect
      .poll(
        async () => {
          // Written during the scan of the files: none may be lost.
          await tools.write_file.execute({ path: `tools/fresh/tool_${++round}.ts`, content: sourceOf(round, 1) });
          return (await kernel.registry.list()).some(({ path }) => path === 'tools/by_hand/new.ts');
        },
        { timeout: 30_000 },
      )
      .toBe(true);
    const paths = (await kernel.registry.list()).map(({ path }) => path);
    expect(paths).toEqual([...paths].sort());
    expect(paths).not.toContain(pathOf(1));
    for (let at = 1; at <= round; at++) expect(paths).toContain(`tools/fresh/tool_${at}.ts`);
    expect(paths).toHaveLength(count + round);
    expect(Object.keys(live)).toContain(`fresh_tool_${round}`);
    expect(kernel.getSystemPrompt()).toContain('more are not shown');
  });
});
