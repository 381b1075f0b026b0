/** Approvals that arrive after their run has ended. */

import { expect, test } from 'vitest';
import { sqlite } from '../../index.js';
import { policyKernel } from '../helpers/policy_kernel.js';

/** @type {import('../../index.js').PolicyInput} */
const POLICY = {
  default: 'allow',
  rules: [
    { id: 'writes', ask: ['sql'], verbs: ['update'] },
    { id: 'mail', ask: ['app'] },
  ],
};

/** Ends while its calls still wait for approval. */
const NESTED = `export default async (_args: object) => {
  tgp.exec_sql("UPDATE items SET name = 'late' WHERE id = 1").catch(() => {});
  tgp.send_mail({ to: 'late' }).catch(() => {});
  await tgp.both_asked();
  throw new Error('over');
};`;
const OUTER = `export default async (_args: object) => {
  let message = '';
  try { await tgp.exec_tool('tools/nested.ts', {}); } catch (error) { message = error.message; }
  await tgp.approve_now();
  await tgp.exec_sql("UPDATE items SET name = 'outer' WHERE id = 2");
  return message;
};`;
const STATEMENT = 'export default ({ sql }: { sql: string }) => tgp.exec_sql(sql);';

test('calls of a nested run that are approved after its end are not made', async () => {
  const source = sqlite(':memory:');
  /** @type {string[]} */
  const sent = [];
  /** @type {string[]} */
  const asked = [];
  /** @type {() => void} */
  let bothAsked = () => {};
  const areAsked = new Promise((resolve) => {
    bothAsked = () => resolve(undefined);
  });
  /** @type {() => void} */
  let approveNow = () => {};
  const isOver = new Promise((resolve) => {
    approveNow = () => resolve(undefined);
  });
  const preapproved = ['both_asked', 'approve_now'];
  const approve = async (/** @type {any} */ { tool }) => {
    if (preapproved.includes(tool)) return true;
    asked.push(tool);
    if (asked.length === 2) bothAsked();
    if (asked.length <= 2) await isOver;
    return true;
  };
  const { kernel } = await policyKernel(POLICY, {
    sql: { source, ddl: true },
    approve,
    files: { 'tools/nested.ts': NESTED, 'tools/outer.ts': OUTER, 'tools/statement.ts': STATEMENT },
    sandboxAPI: {
      send_mail: (/** @type {{ to: string }} */ { to }) => sent.push(to),
      both_asked: () => areAsked,
      approve_now: () => approveNow(),
    },
  });
  const run = async (/** @type {string} */ sql) =>
    (await kernel.exec('tools/statement.ts', { sql }, { timeoutMs: 20_000 })).result;
  await run('CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT)');
  await run("INSERT INTO items VALUES (1, 'x'), (2, 'x')");
  const { result } = await kernel.exec('tools/outer.ts', {}, { timeoutMs: 20_000, wallMs: 60_000 });
  expect(result).toContain('over');
  expect(await run('SELECT name FROM items ORDER BY id')).toEqual([{ name: 'x' }, { name: 'outer' }]);
  expect(sent).toEqual([]);
});
