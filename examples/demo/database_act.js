/** The database act: a tool changes a database, and a run that fails half-way is rolled back. */

import { createSqlTools } from '../../index.js';
import { expect, last } from './turns.js';

/** @typedef {import('./acts.js').Act} Act */

export const FIX = 'tools/maintenance/fix_text.ts';

const SOURCE = `/** Replaces a misspelt word in the states of active users. */
export default async function fixText(args: { wrong: string; right: string; limit: number }): Promise<{ fixed: number }> {
  const [{ affected }] = await tgp.exec_sql(
    'UPDATE users SET state = replace(state, ?, ?) WHERE active = 1 AND state LIKE ?',
    [args.wrong, args.right, '%' + args.wrong + '%'],
  );
  if (affected > args.limit) throw new Error('That would change ' + affected + ' users');
  return { fixed: affected };
}
`;

const USERS = [
  ['Ada', 'Ohiio', 1],
  ['Bob', 'Ohio', 1],
  ['Cyd', 'Ohiio', 1],
  ['Dan', 'Ohiio', 0],
];

/**
 * Fills the demo's database with the application's existing data.
 * @param {import('../../index.js').SqlAdapter} database
 */
export async function fillDatabase(database) {
  const { exec_sql } = createSqlTools(database, { ddl: true });
  await exec_sql.execute({ sql: 'CREATE TABLE users (name TEXT, state TEXT, active INTEGER)' });
  for (const params of USERS) await exec_sql.execute({ sql: 'INSERT INTO users VALUES (?, ?, ?)', params });
}

const COUNT = { sql: "SELECT count(*) AS misspelt FROM users WHERE active = 1 AND state = 'Ohiio'" };
const CALL = { wrong: 'Ohiio', right: 'Ohio' };

/** @type {Act} */
export const query = {
  title: 'Query: a tool changes the database in one transaction, all or nothing',
  prompt: "Fix the typo 'Ohiio' for active users.",
  steps: [
    () => ({ say: 'What is in the database?', tool: 'describe_schema', input: {} }),
    (turns) => {
      const [table] = last(turns).output.tables;
      expect(table?.name === 'users', 'the schema lists the table');
      return { say: 'I write a tool for it.', tool: 'write_file', input: { path: FIX, content: SOURCE } };
    },
    () => ({ say: 'Check it.', tool: 'check_tool', input: { path: FIX } }),
    (turns) => {
      expect(last(turns).output.valid === true, 'the tool is valid');
      const args = { ...CALL, limit: 1 };
      return { say: 'Run it, with a limit of one user.', tool: 'exec_tool', input: { path: FIX, args } };
    },
    (turns) => {
      const { success, error } = last(turns).output;
      expect(success === false && /change 2 users/.test(error), 'the tool stops after its update');
      return { say: 'Too many. Was anything changed?', tool: 'exec_sql', input: COUNT };
    },
    (turns) => {
      expect(last(turns).output[0]?.misspelt === 2, 'the failed run was rolled back');
      const args = { ...CALL, limit: 10 };
      return { say: 'Nothing was. Two users are fine.', tool: 'exec_tool', input: { path: FIX, args } };
    },
    (turns) => {
      expect(last(turns).output.result?.fixed === 2, 'two users are fixed');
      return { say: 'And now?', tool: 'exec_sql', input: COUNT };
    },
    (turns) => {
      expect(last(turns).output[0]?.misspelt === 0, 'the change lasts');
      return { say: 'Both active users are in Ohio.' };
    },
  ],
};
