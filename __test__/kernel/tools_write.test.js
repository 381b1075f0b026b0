/** `kernel.tools.write`: the application writes tools as agents do. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';
import { git } from '../helpers/git_remote.js';

const PATH = 'tools/reports/revenue.ts';
const SOURCE = '/** Revenue. */\nexport default (args: { n: number }): number => args.n * 2;\n';

describe('kernel.tools.write', () => {
  it('checks, commits and records a tool, and returns what write_file returns', async () => {
    const { kernel, tools, rootDir } = await createKernel();
    const written = await kernel.tools.write(PATH, SOURCE, { why: 'asked by finance' });
    expect(written).toEqual({ success: true, path: PATH, persisted: true, commit: git(rootDir, 'rev-parse', 'HEAD') });
    expect(readFileSync(join(rootDir, PATH), 'utf8')).toBe(SOURCE);
    expect(git(rootDir, 'log', '-1', '--format=%B')).toContain('asked by finance');
    expect(kernel.registry.list()).toMatchObject([{ path: PATH, description: 'Revenue.' }]);
    expect((await kernel.exec(PATH, { n: 2 })).result).toBe(4);
    expect(Object.keys(await kernel.tools())).toEqual(['reports_revenue']);
    const [call] = await kernel.ledger.tail({ type: 'CALL', tool: 'write_file' });
    expect(call).toMatchObject({ path: PATH, actor: { agent: 'application' }, args: { content: SOURCE } });
    const faulty = SOURCE.replace('* 2', '* 1.19');
    const byTool = await tools.write_file.execute({ path: PATH, content: faulty });
    const { commit: _, ...again } = await kernel.tools.write(PATH, faulty.replace('Revenue.', 'Revenue!'));
    expect(again).toEqual({ ...byTool, commit: undefined });
    expect(again.findings).toHaveLength(1);
  });

  it('obeys the write rules, the policy and the mode of reuse', async () => {
    const { kernel, rootDir } = await createKernel({
      reuse: 'strict',
      policy: {
        default: 'allow',
        rules: [{ id: 'frozen', deny: ['write_file'], paths: ['tools/frozen/**'], reason: 'Frozen.' }],
      },
    });
    await kernel.tools.write(PATH, SOURCE);
    await expect(kernel.tools.write('tools/frozen/a.ts', SOURCE)).rejects.toMatchObject({ code: 'ERR_DENIED' });
    await expect(kernel.tools.write('../a.ts', SOURCE)).rejects.toThrow();
    await expect(kernel.tools.write('tools/copy.ts', SOURCE)).rejects.toMatchObject({ code: 'ERR_DUPLICATE' });
    await expect(kernel.tools.write('', SOURCE)).rejects.toMatchObject({ details: { field: 'path' } });
    // @ts-expect-error: not a text
    await expect(kernel.tools.write(PATH, 7)).rejects.toMatchObject({ details: { field: 'text' } });
    // @ts-expect-error: not a note
    await expect(kernel.tools.write(PATH, SOURCE, { whi: '' })).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
    expect(existsSync(join(rootDir, 'tools/copy.ts'))).toBe(false);
    await kernel.shutdown();
    await expect(kernel.tools.write(PATH, SOURCE)).rejects.toMatchObject({ code: 'ERR_SHUTDOWN' });
  });
});
