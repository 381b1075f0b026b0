import { describe, expect, it } from 'vitest';
import { hostCost, MAX_EXTRA_MB } from '../helpers/host_cost.js';
import { tempRoot } from '../helpers/temp_root.js';

const SETUP = `
// Takes no memory until its characters are read, so a refusal by length alone costs nothing.
const longText = () => 'x'.repeat(500e6);
const kernel = new TGP({ config: { rootDir: './root' }, sql: sqlite(':memory:'), sandboxAPI: { long: longText } });
await kernel.boot();
const tools = tgpTools(kernel);
const { exec_sql } = createSqlTools(sqlite(':memory:'), { ddl: true });
await exec_sql.execute({ sql: 'SELECT 1 AS one' });
await tools.write_file.execute({ path: 'tools/echo.ts', content: '/** Echo. */ export default (args: { text: string }) => args.text.length;' });
await kernel.exec('tools/echo.ts', { text: 'a' });`;

const CALLS = {
  'exec: an argument': "kernel.exec('tools/echo.ts', { text })",
  'exec: an argument in a list': "kernel.exec('tools/echo.ts', { text: 'a', more: [1, { deep: [text] }] })",
  'exec: a path': 'kernel.exec(text)',
  'exec: an object of a class': "kernel.exec('tools/echo.ts', new Map([['text', text]]))",
  'run: code': 'kernel.run(text)',
  'run: an argument': "kernel.run('export default () => 1', { text })",
  'check: a path': 'kernel.check(text)',
  'find: a request': 'kernel.find(text)',
  'tools.write': "kernel.tools.write('tools/long.ts', text)",
  'registry.register': "kernel.registry.register('tools/long.ts', text)",
  'write_file: content': "tools.write_file.execute({ path: 'tools/long.ts', content: text })",
  'write_file: a data file': "tools.write_file.execute({ path: 'data/long.txt', content: text })",
  'patch_file: search': "tools.patch_file.execute({ path: 'tools/echo.ts', search: text, replace: 'a' })",
  'patch_file: replace': "tools.patch_file.execute({ path: 'tools/echo.ts', search: 'Echo', replace: text })",
  apply_diff: "tools.apply_diff.execute({ path: 'tools/echo.ts', diff: text })",
  'read_file: a path': 'tools.read_file.execute({ path: text })',
  'search_files: a query': 'tools.search_files.execute({ query: text })',
  'find_tool: a request': 'tools.find_tool.execute({ query: text })',
  'exec_tool: an argument': "tools.exec_tool.execute({ path: 'tools/echo.ts', args: { text } })",
  'run_code: code': 'tools.run_code.execute({ code: text })',
  'exec_sql: a statement': 'exec_sql.execute({ sql: text })',
  'exec_sql: a parameter': "exec_sql.execute({ sql: 'SELECT ? AS x', params: [text] })",
  'exec_sql: a named parameter': "exec_sql.execute({ sql: 'SELECT :a AS x', params: { a: text } })",
  'exec_sql: bytes': "exec_sql.execute({ sql: 'SELECT ? AS x', params: [{ $base64: text }] })",
  'the answer of sandboxAPI': "kernel.run('export default () => tgp.long()')",
  'ledger.append': "kernel.ledger.append({ type: 'LONG', body: { text } })",
  'vfs.writeFile': "kernel.vfs.writeFile('data/long.txt', text)",
  'git.persist': "kernel.git.persist(text, ['tools/echo.ts'])",
};

/** Calls in one process, each with a new text. */
const WORK = `
const costs = {};
for (const [name, call] of Object.entries({
${Object.entries(CALLS)
  .map(([name, call]) => `${JSON.stringify(name)}: (text) => ${call},`)
  .join('\n')}
})) {
  const { value, ...cost } = await costOf(() => call(longText()));
  // exec_tool and run_code answer with their failure.
  costs[name] = { ...cost, code: cost.code ?? value?.code };
}
return costs;`;

describe('a text of 500 MB', () => {
  it('is refused before it is copied', { timeout: 120_000 }, async () => {
    const { value: costs } = await hostCost(await tempRoot(), SETUP, WORK, 'await kernel.shutdown();');
    expect(Object.keys(costs)).toEqual(Object.keys(CALLS));
    for (const [name, { code, message, extraMb }] of Object.entries(costs)) {
      expect(code, name).toMatch(/^ERR_/);
      expect(message?.length ?? 0, name).toBeLessThan(2_000);
      expect(extraMb, name).toBeLessThanOrEqual(MAX_EXTRA_MB / 4);
    }
  });
});
