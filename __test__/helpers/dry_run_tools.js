/**
 * Thirty tools that write, query, fetch and call the application. Each is run dry and then for real; `SERVER` stands for the
 * address of a server. A tool continues after a refusal by the dry run, unless it has `stops`.
 *
 * @typedef {{ name: string, code: string, args?: object, stops?: true }} Tool
 */

/** Ignores a refusal. */
const CAREFUL = 'const careful = async (work: () => Promise<unknown>) => { try { await work(); } catch { return; } };';

/** @param {string} body */
const tool = (body) => `${CAREFUL}
export default async function run(args: { n?: number; text?: string }): Promise<unknown> {
  void careful;
  ${body}
}
`;

/** @type {Tool[]} */
export const TOOLS = [
  { name: 'writes_new', code: tool("await tgp.write_file('out/new.txt', 'hello\\n'); return 1;") },
  { name: 'writes_over', code: tool("await tgp.write_file('out/kept.txt', 'one\\n2\\nthree\\n'); return 1;") },
  {
    name: 'appends',
    code: tool(
      "const was = await tgp.read_file('out/log.txt'); await tgp.write_file('out/log.txt', was + 'more\\n'); return was.length;",
    ),
  },
  {
    name: 'writes_twice',
    code: tool(
      "await tgp.write_file('out/a.txt', '1'); await tgp.write_file('out/a.txt', '2\\n'); return tgp.read_file('out/a.txt');",
    ),
  },
  {
    name: 'writes_many',
    code: tool(
      "for (let i = 0; i < 12; i++) await tgp.write_file('out/many/' + i + '.txt', i + '\\n'); return tgp.list_files('out/many');",
    ),
  },
  {
    name: 'writes_the_same',
    code: tool("await tgp.write_file('out/kept.txt', await tgp.read_file('out/kept.txt')); return 1;"),
  },
  { name: 'writes_scratch', code: tool("await tgp.write_file('/tmp/x', 'gone'); return tgp.read_file('/tmp/x');") },
  {
    name: 'writes_where_it_may_not',
    code: tool(
      "try { await tgp.write_file('tools/x.ts', ''); return 'written'; } catch (error) { return String(error); }",
    ),
  },
  { name: 'only_reads', code: tool("return (await tgp.read_file('out/kept.txt')).length;") },
  { name: 'only_counts', code: tool('return (args.n ?? 0) * 2;'), args: { n: 21 } },
  {
    name: 'updates',
    code: tool("return tgp.exec_sql('UPDATE accounts SET balance = balance + 1 WHERE id <= ?', [3]);"),
  },
  { name: 'updates_none', code: tool("return tgp.exec_sql('UPDATE accounts SET balance = 0 WHERE id = -1');") },
  {
    name: 'inserts',
    code: tool("return tgp.exec_sql('INSERT INTO events (id, what) VALUES (?, ?), (?, ?)', [101, 'a', 102, 'b']);"),
  },
  { name: 'deletes', code: tool("return tgp.exec_sql('DELETE FROM accounts WHERE balance > ?', [100]);") },
  {
    name: 'sees_its_own_rows',
    code: tool(
      "await tgp.exec_sql('INSERT INTO events (id, what) VALUES (?, ?)', [201, 'seen']); return tgp.exec_sql('SELECT what FROM events WHERE id = 201');",
    ),
  },
  {
    name: 'moves_money',
    code: tool(
      "await tgp.exec_sql('UPDATE accounts SET balance = balance - 5 WHERE id = ?', [1]); await tgp.exec_sql('UPDATE accounts SET balance = balance + 5 WHERE id = ?', [2]); return tgp.exec_sql('SELECT id, balance FROM accounts WHERE id <= 2 ORDER BY id');",
    ),
  },
  { name: 'selects', code: tool("return tgp.exec_sql('SELECT count(*) AS n FROM accounts');") },
  {
    name: 'writes_a_report',
    code: tool(
      "const rows = await tgp.exec_sql('SELECT name, balance FROM accounts ORDER BY id'); await tgp.write_file('out/report.csv', rows.map((row: { name: string; balance: number }) => row.name + ',' + row.balance + '\\n').join('')); return rows.length;",
    ),
  },
  { name: 'gets', code: tool("return (await fetch('SERVER/rate')).text();") },
  { name: 'heads', code: tool("return (await fetch('SERVER/rate', { method: 'HEAD' })).status;") },
  {
    name: 'posts',
    code: tool("await careful(() => fetch('SERVER/orders', { method: 'POST', body: 'x' })); return 1;"),
  },
  {
    name: 'posts_and_stops',
    code: tool("return (await fetch('SERVER/orders', { method: 'POST', body: 'x' })).status;"),
    stops: true,
  },
  {
    name: 'puts_and_deletes',
    code: tool(
      "await careful(() => fetch('SERVER/a?b=1', { method: 'PUT', body: 'x' })); await careful(() => fetch('SERVER/c', { method: 'DELETE' })); return 2;",
    ),
  },
  {
    name: 'gets_then_posts',
    code: tool(
      "const rate = await (await fetch('SERVER/rate')).text(); await careful(() => fetch('SERVER/rates', { method: 'PATCH', body: rate })); return rate;",
    ),
  },
  { name: 'looks_up', code: tool('return tgp.lookup({ id: 7 });') },
  { name: 'sends', code: tool("await careful(() => tgp.send('ada', { total: 3 })); return 1;") },
  {
    name: 'sends_and_stops',
    code: tool("await tgp.write_file('out/before.txt', 'x'); return tgp.send('bob');"),
    stops: true,
  },
  {
    name: 'looks_up_and_sends',
    code: tool('const found = await tgp.lookup({ id: 9 }); await careful(() => tgp.send(found.name)); return found;'),
  },
  {
    name: 'has_another_do_it',
    code: tool(
      "const was = await tgp.exec_tool('tools/dry/appends.ts', {}); await tgp.exec_tool('tools/dry/updates.ts', {}); await tgp.exec_tool('tools/dry/sends.ts', {}); return [was, await tgp.read_file('out/log.txt')];",
    ),
  },
  {
    name: 'does_it_all',
    code: tool(
      "const rate = await (await fetch('SERVER/rate')).text(); await tgp.exec_sql('UPDATE accounts SET balance = balance * 2 WHERE id = ?', [2]); await tgp.write_file('out/all.txt', rate + '\\n'); await careful(() => tgp.send('all', rate)); await careful(() => fetch('SERVER/done', { method: 'POST' })); return rate;",
    ),
  },
];
