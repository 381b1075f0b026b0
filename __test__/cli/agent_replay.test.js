/** `tgp replay` obeys the policy of the workspace, and its effects outside the copy are in the ledger of the workspace. */

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TGP } from '../../index.js';
import { byResults } from '../../tools/model_scripts.mjs';
import { runCli } from '../../tools/run_cli.mjs';
import { agentWorkspace } from '../helpers/providers/agent_workspace.js';

const MINUTES = 60_000;
const INDEX = new URL('../../index.js', import.meta.url).href;
const ROWS = 'select count(*) as rows from payments';

const PAY = `/** Pays, and tells the bank. */
export default async (): Promise<number> => {
  await tgp.exec_sql("insert into payments (note) values ('" + 'x'.repeat(6000) + "')");
  await tgp.tell_bank({ amount: 7 });
  const [{ rows }] = await tgp.exec_sql('${ROWS}');
  return Number(rows);
};
`;
const ONE = '/** Gives one. */\nexport default (): number => 1.0;\n';

const CONFIG = `import { appendFile } from 'node:fs/promises';
import { sqlite } from '${INDEX}';
export default {
  memory: 'off',
  sql: { source: sqlite('shop.db'), ddl: true },
  sandboxAPI: {
    tell_bank: { description: 'Tells the bank.', execute: (args) => appendFile('bank.txt', JSON.stringify(args) + '\\n') },
  },
};
`;

/** The agent forges a tool that pays, and runs it. */
const PAYS = byResults([
  {
    calls: [
      { name: 'write_file', input: { path: 'tools/one.ts', content: ONE } },
      { name: 'write_file', input: { path: 'tools/pay.ts', content: PAY } },
      { name: 'exec_sql', input: { sql: 'create table if not exists payments (note text)' } },
      { name: 'exec_tool', input: { path: 'tools/pay.ts', args: {} } },
    ],
  },
  { say: 'Paid.' },
]);

async function paidOnce() {
  const { folder, env } = await agentWorkspace(PAYS);
  await rm(join(folder, 'tgp.config.json'));
  await writeFile(join(folder, 'tgp.config.mjs'), CONFIG);
  const made = await runCli(folder, ['Pay it.', '--yes'], { env });
  expect(made.code, made.stderr).toBe(0);
  const [{ session }] = (await runCli(folder, ['sessions', '--json'])).json();
  const bank = async () => (await readFile(join(folder, 'bank.txt'), 'utf8')).trimEnd().split('\n').length;
  const ledger = async () =>
    (await runCli(folder, ['ledger', 'tail', '-n', '1000', '--type', 'APPLICATION', '--json'])).json();
  expect(await bank()).toBe(1);
  return { folder, session, bank, ledger };
}

test(
  'calls that tgp.policy.yaml beside the config denies are not repeated',
  async () => {
    const { folder, session, bank, ledger } = await paidOnce();
    await writeFile(
      join(folder, 'tgp.policy.yaml'),
      'default: allow\nrules:\n  - { id: frozen, deny: [sql, app], reason: "The books are closed." }\n',
    );
    const { stderr } = await runCli(folder, ['replay', session, '--yes']);
    expect(stderr).toMatch(/ERR_DENIED/);
    expect(await bank()).toBe(1);
    expect(await ledger()).toMatchObject([
      { replay: session, state: 'begun' },
      { event: { type: 'DENIED', tool: 'exec_sql', rule: 'frozen' } },
      { event: { type: 'DENIED', tool: 'exec_sql', rule: 'frozen' } },
    ]);
  },
  2 * MINUTES,
);

test(
  'SQL statements and calls of application functions are in the ledger of the workspace',
  async () => {
    const { folder, session, bank, ledger } = await paidOnce();
    const { code, stderr } = await runCli(folder, ['replay', session, '--yes']);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/exec_tool +tools\/pay\.ts {2}→ 2\n/);
    expect(await bank()).toBe(2);
    const events = await ledger();
    expect(events[0]).toMatchObject({ actor: { agent: 'cli' }, session: `replay-${session}`, state: 'begun' });
    const made = events.filter(({ event }) => event?.type === 'CALL').map(({ event }) => event);
    expect(made.map(({ tool, effect }) => `${tool} ${effect}`)).toEqual([
      'exec_sql sql',
      'exec_sql sql',
      'tell_bank app',
      'exec_sql sql',
    ]);
    expect(made[2]).toMatchObject({ args: [{ amount: 7 }], actor: { agent: 'tool' } });
    const results = events.filter(({ event }) => event?.type === 'RESULT').map(({ event }) => event);
    expect(results).toMatchObject(made.map(({ call }) => expect.objectContaining({ call, ok: true })));
    expect((await runCli(folder, ['ledger', 'verify'])).code).toBe(0);
    // A value that is too long for an event is stored as a blob.
    const kernel = new TGP({ config: { rootDir: join(folder, '.tgp') } });
    const { $blob } = made[1].args.sql ?? made[1].args;
    expect(await kernel.ledger.blob($blob)).toContain('x'.repeat(6_000));
    await kernel.shutdown();
    expect((await runCli(folder, ['sessions', '--json'])).json()).toHaveLength(1);
  },
  2 * MINUTES,
);
