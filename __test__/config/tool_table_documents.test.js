import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { KERNEL_CALLS } from '../../dist/boundary/kernel_tools.js';
import { KERNEL_TOOLS } from '../../dist/tool_shape/kernel_tool_table.js';
import { kernelToolsModule, withToolList } from '../../scripts/kernel_tools.mjs';

describe('the table of kernel tools', () => {
  test('is data for JavaScript', async () => {
    const facts = { effect: 'write', arguments: ['from', 'to', 'why'], paths: ['from', 'to'] };
    const text = kernelToolsModule([{ name: 'move_file', ...facts }]);
    const made = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(made.KERNEL_CALLS).toEqual({ move_file: facts });
    const all = Object.entries(KERNEL_CALLS).map(([name, each]) => ({ name, ...each }));
    expect(kernelToolsModule(all)).toBe(
      await readFile(new URL('../../js/boundary/kernel_tools.ts', import.meta.url), 'utf8'),
    );
  });

  test('is the list of the page on agent tools', async () => {
    const page = await readFile(new URL('../../docs/agent_tools.md', import.meta.url), 'utf8');
    expect(await withToolList(page)).toBe(page);
    const row = page.split('\n').find((line) => line.startsWith('| `find_tool(')) ?? '';
    expect(await withToolList(page.replace(`${row}\n`, ''))).toContain(row);
    expect(await withToolList(page.replace(row, '| `gone_tool(a)` | was removed |'))).not.toContain('gone_tool');
  });

  test('has a path, or none, for each tool that agents call', () => {
    for (const [name, { path, parameters }] of Object.entries(KERNEL_TOOLS)) {
      for (const named of path === undefined ? KERNEL_CALLS[name].paths : [path])
        expect(Object.keys(parameters.shape), name).toContain(named);
    }
  });
});
