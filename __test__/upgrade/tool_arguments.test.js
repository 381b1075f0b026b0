import { expect, test } from 'vitest';
import { createSqlTools, sqlite, ValidationError } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

test('tool.parameters has parse and safeParse, like the zod schemas of the TypeScript package', async () => {
  const { kernel, tools } = await createKernel();
  await tools.write_file.execute({
    path: 'tools/sum.ts',
    content: 'export default (args: { amounts: number[] }): number => args.amounts.length;',
  });
  const forged = await kernel.tools();
  const sql = createSqlTools(sqlite(':memory:'));
  const cases = [
    { tool: tools.read_file, good: { path: 'a.ts' }, bad: {}, field: 'path' },
    { tool: tools.exec_tool, good: { path: 'a.ts', args: { a: 1 } }, bad: { path: 1 }, field: 'path' },
    { tool: sql.exec_sql, good: { sql: 'SELECT 1', params: [1] }, bad: { params: [] }, field: 'sql' },
    { tool: forged.sum, good: { amounts: [1] }, bad: { amounts: [1, 'x'] }, field: 'amounts.1' },
  ];
  for (const { tool, good, bad, field } of cases) {
    const { parameters } = /** @type {import('../../index.js').AgentTool} */ (tool);
    expect(parameters.parse(good)).toEqual(good);
    expect(parameters.safeParse(good)).toEqual({ success: true, data: good });
    expect(() => parameters.parse(bad)).toThrow(ValidationError);
    const { success, error } = parameters.safeParse(bad);
    expect(success).toBe(false);
    expect(error).toMatchObject({ code: 'ERR_VALIDATION', details: { field } });
    expect(error.issues[0]).toMatchObject({ path: field.split('.'), message: expect.stringContaining(field) });
    expect(JSON.stringify(parameters), 'not part of a request').not.toMatch(/parse/i);
  }
});

test('apply_diff accepts start_line and end_line, as arguments and in the block', async () => {
  const { tools } = await createKernel();
  const path = 'list.txt';
  const lines = ['a', 'same', 'b', 'same', 'c', 'same'];
  const block = (/** @type {string} */ head) => `<<<<<<< SEARCH\n${head}same\n=======\nother\n>>>>>>> REPLACE\n`;
  const calls = [
    { diff: block(''), start_line: 4, end_line: 4 },
    { diff: block(':start_line:4\n:end_line:4\n-------\n') },
    { diff: block(':start_line:4\n-------\n'), start_line: 1 },
  ];
  for (const call of calls) {
    await tools.write_file.execute({ path, content: `${lines.join('\n')}\n` });
    expect(await tools.apply_diff.execute({ path, ...call })).toMatchObject({ success: true, applied: [{ line: 4 }] });
    expect(await tools.read_file.execute({ path })).toBe('a\nsame\nb\nother\nc\nsame\n');
  }
  await tools.write_file.execute({ path, content: `${lines.join('\n')}\n` });
  await expect(tools.apply_diff.execute({ path, diff: block('') }), 'ambiguous without them').rejects.toThrow(
    '3 places',
  );
});
