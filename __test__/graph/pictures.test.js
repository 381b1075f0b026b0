import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const LIB = '/** Doubles. */\nexport const double = (n: number) => n * 2;\n';

async function forged() {
  const { kernel, tools } = await createKernel();
  await tools.write_file.execute({ path: 'tools/lib/double.ts', content: LIB });
  await tools.write_file.execute({
    path: 'tools/use.ts',
    content:
      "import { double } from './lib/double.ts';\n/** Uses. */\nexport default (args: { n: number }) => double(args.n);\n",
  });
  await tools.write_file.execute({
    path: 'tools/call.ts',
    content: "/** Calls. */\nexport default async () => await tgp.exec_tool('tools/use.ts', { n: 1 });\n",
  });
  await tools.write_file.execute({ path: 'tools/alone.ts', content: '/** Alone. */\nexport default () => 1;\n' });
  return kernel;
}

describe('pictures', () => {
  test('show the tools and their links in three formats', async () => {
    const kernel = await forged();
    const mermaid = await kernel.graph.picture();
    expect(mermaid).toMatch(/^flowchart LR\n/);
    const [, use] = /(n\d+)\["tools\/use\.ts"\]/.exec(mermaid) ?? [];
    const [, lib] = /(n\d+)\["tools\/lib\/double\.ts"\]/.exec(mermaid) ?? [];
    const [, call] = /(n\d+)\["tools\/call\.ts"\]/.exec(mermaid) ?? [];
    expect(mermaid).toContain(`${use} -->|imports| ${lib}`);
    expect(mermaid).toContain(`${call} -.->|calls| ${use}`);
    const dot = await kernel.graph.picture({ format: 'dot' });
    expect(dot).toMatch(/^digraph tools \{\n/);
    expect(dot).toContain('[label="tools/alone.ts"');
    const svg = await kernel.graph.picture({ format: 'svg' });
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(svg.match(/<path(?: class="dashed")? marker-end/g)).toHaveLength(2);
    expect(svg).not.toMatch(/<script|href|http:\/\/(?!www\.w3\.org\/2000\/svg)/);
  });

  test('of one file show its neighbourhood', async () => {
    const kernel = await forged();
    const picture = await kernel.graph.picture({ path: 'tools/use.ts' });
    expect(picture).toContain('tools/lib/double.ts');
    expect(picture).toContain('tools/call.ts');
    expect(picture).not.toContain('tools/alone.ts');
    await expect(kernel.graph.picture({ path: 'tools/none.ts' })).rejects.toMatchObject({ code: 'ERR_NOT_FOUND' });
  });
});
