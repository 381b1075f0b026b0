import { describe, expect, test } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/** @typedef {[string, object, string[]]} Case */

describe('an argument of exec_tool and run_code with a wrong name', () => {
  const meant = (/** @type {string} */ wrong, /** @type {string} */ right) =>
    `"${wrong}" is not known, did you mean "${right}"?`;
  const inside = (/** @type {string} */ name) => `"${name}" is not known here: it belongs in "args"`;
  const path = 'tools/price/gross.ts';

  /** @type {Case[]} */
  const cases = [
    ...['tool', 'name', 'file', 'tool_path'].map(
      (name) => /** @type {Case} */ (['exec_tool', { [name]: path, args: {} }, [meant(name, 'path')]]),
    ),
    ...['arguments', 'params', 'parameters', 'input'].map(
      (name) => /** @type {Case} */ (['exec_tool', { path, [name]: { net: 1 } }, [meant(name, 'args')]]),
    ),
    ...['source', 'script', 'program'].map(
      (name) => /** @type {Case} */ (['run_code', { [name]: 'return 1' }, [meant(name, 'code')]]),
    ),
    ['exec_tool', { tool: path, arguments: { net: 1 } }, [meant('tool', 'path'), meant('arguments', 'args')]],
    ['exec_tool', { tool: path, net: 1 }, [meant('tool', 'path'), inside('net')]],
    ['exec_tool', { path, net: 1, name: 'Ann', input: 'a' }, [inside('net'), inside('name'), inside('input')]],
    ['exec_tool', { path, args: {}, params: {} }, [inside('params')]],
    ['exec_tool', { net: 1 }, ['"net" is not known here (known: path, args)']],
    ['read_file', { file: path }, [meant('file', 'path')]],
  ];

  test.each(cases)('%s %j', async (name, args, messages) => {
    const { tools } = await createKernel();
    const run = async () => /** @type {any} */ (tools)[name].execute(args);
    const error = await run().catch((reason) => reason);
    for (const message of messages) expect(error.message).toContain(message);
    const belonging = messages.filter((message) => message.includes('belongs in'));
    expect(error.message.split('belongs in')).toHaveLength(belonging.length + 1);
  });
});

test('a tool that takes a value other than an object is advised to take one', async () => {
  const { tools } = await createKernel();
  const path = 'tools/twice.ts';
  await tools.write_file.execute({ path, content: 'export default (n: number): number => n + n;' });
  const { error } = /** @type {any} */ (await tools.exec_tool.execute({ path, args: { n: 1 } }));
  expect(error).toContain(
    'a call passes one object: give { args: number } as that object, or change the tool to take one object. Nothing was run.',
  );
  expect(await tools.exec_tool.execute({ path, args: { args: 1 } })).toMatchObject({ success: true, result: 2 });
});

test('the tests of a path outside tools/ are sought below it', async () => {
  const { kernel } = await createKernel();
  expect((await kernel.test('price/gross')).text).toContain(
    'There are no tests in price/gross. Did you mean tools/price/gross?',
  );
  expect((await kernel.test('tools/price')).text).not.toContain('Did you mean');
});
