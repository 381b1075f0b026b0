import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { KERNEL_TOOL_FACTS } from '../../dist/boundary/kernel_tool_facts.js';
import { AGENT_TOOLS } from '../../dist/tool_shape/agent_tool_table.js';
import { kernelToolFactsModule, withToolList } from '../../scripts/kernel_tool_facts.mjs';

describe('the table of kernel tools', () => {
  test('is data for JavaScript', async () => {
    const facts = { effect: 'write', arguments: ['from', 'to', 'why'], path: 'from', quotes: false };
    const text = kernelToolFactsModule([{ name: 'move_file', ...facts }]);
    const made = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(made.KERNEL_TOOL_FACTS).toEqual({ move_file: facts });
    const all = Object.entries(KERNEL_TOOL_FACTS).map(([name, each]) => ({ name, ...each }));
    expect(kernelToolFactsModule(all)).toBe(
      await readFile(new URL('../../js/boundary/kernel_tool_facts.ts', import.meta.url), 'utf8'),
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
    for (const [name, { parameters }] of Object.entries(AGENT_TOOLS)) {
      const { path } = KERNEL_TOOL_FACTS[name];
      if (path !== null) expect(Object.keys(parameters.shape), name).toContain(path);
    }
  });
});
