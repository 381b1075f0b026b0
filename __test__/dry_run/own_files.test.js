import { expect, it, onTestFinished } from 'vitest';
import { createMemoryVFS, TGP, tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

it('a VFS adapter of the application: a preview calls neither writeFile nor remove', async () => {
  const memory = createMemoryVFS({ 'notes/a.md': 'one\n' });
  /** @type {string[]} */
  const written = [];
  /** @type {import('../../index.js').VFSAdapter} */
  const vfs = {
    readFile: (path) => memory.readFile(path),
    readSync: (path) => memory.readSync(path),
    exists: (path) => memory.exists(path),
    listFiles: (dir, recursive) => memory.listFiles(dir, recursive),
    writeFile: async (path, content) => {
      written.push(path);
      await memory.writeFile(path, content);
    },
    remove: async (path) => {
      written.push(path);
      await memory.remove(path);
    },
  };
  const kernel = new TGP({ vfs, config: {} });
  onTestFinished(() => kernel.shutdown());
  const { write_file } = tgpTools(kernel);
  const preview = await write_file.execute({ path: 'notes/a.md', content: 'two\n' }, { dryRun: true });
  expect(preview.diffs[0]?.diff).toContain('-one\n+two\n');
  expect(written).toEqual([]);
  expect(await memory.readFile('notes/a.md')).toBe('one\n');
});

it('an application function that replaces exec_sql is not called', async () => {
  /** @type {string[]} */
  const statements = [];
  const { kernel } = await createKernel(
    {},
    { sandboxAPI: { exec_sql: async (/** @type {string} */ sql) => statements.push(sql) } },
  );
  const preview = await kernel.run("return tgp.exec_sql('DELETE FROM a');", {}, { dryRun: true });
  expect(preview).toMatchObject({ calls: [{ name: 'exec_sql', args: ['DELETE FROM a'] }], sql: [], stopped: {} });
  expect(statements).toEqual([]);
});

it('a forged tool called by its name is previewed', async () => {
  /** @type {any[]} */
  const sent = [];
  const { kernel, tools } = await createKernel(
    {},
    { sandboxAPI: { send: async (/** @type {any} */ text) => sent.push(text) } },
  );
  const content = `/** Sends a text. */
export default async function say(args: { text: string }): Promise<number> {
  await tgp.send(args.text);
  return 1;
}
`;
  await tools.write_file.execute({ path: 'tools/say.ts', content });
  const { say } = await kernel.tools();
  const preview = await say?.execute({ text: 'hello' }, { dryRun: true });
  expect(preview).toMatchObject({ dryRun: true, calls: [{ name: 'send', args: ['hello'] }] });
  expect(sent).toEqual([]);
  expect(await say?.execute({ text: 'hello' })).toMatchObject({ success: true });
  expect(sent).toEqual(['hello']);
});

it('readOnly must be a boolean', async () => {
  const sandboxAPI = { look: /** @type {any} */ ({ readOnly: 'yes', execute: async () => 1 }) };
  const { kernel } = await createKernel({}, { sandboxAPI });
  await expect(kernel.boot()).rejects.toMatchObject({
    code: 'ERR_CONFIG',
    details: { key: 'sandboxAPI.look.readOnly' },
  });
});
