/** Why a file is changed becomes part of its history: whoever approves the change has seen it. */

import { expect, test } from 'vitest';
import { approvalText } from '../../index.js';
import { policyKernel } from '../helpers/policy_kernel.js';

const POLICY = 'version: 1\ndefault: ask\nrules:\n  - { id: reading, allow: [read] }\n';
const why = 'because the report needs it';
const text = (/** @type {number} */ n) => `/** Counts. */\nexport default (_args: object) => ${n};\n`;

async function asking() {
  /** @type {import('../../index.js').ApprovalRequest[]} */
  const asked = [];
  /** @type {{ approved: boolean, always?: true }} */
  const answer = { approved: true };
  const approve = (/** @type {import('../../index.js').ApprovalRequest} */ request) => {
    asked.push(request);
    return answer;
  };
  return { ...(await policyKernel(POLICY, { approve })), asked, answer };
}

test('a request shows why, for every tool that changes files', async () => {
  const { kernel, tools, asked } = await asking();
  const path = 'tools/count.ts';
  await tools.write_file.execute({ path, content: text(1), why });
  const [first] = await kernel.git.log();
  await tools.patch_file.execute({ path, search: '=> 1', replace: '=> 2', why });
  const diff = '<<<<<<< SEARCH\n/** Counts. */\n=======\n/** Counts well. */\n>>>>>>> REPLACE';
  await tools.apply_diff.execute({ path, diff, why });
  await tools.revert_file.execute({ path, commit: String(first?.commit), why });
  await tools.move_file.execute({ from: path, to: 'tools/tally.ts', why });
  await tools.delete_file.execute({ path: 'tools/tally.ts', why });
  expect(asked.map(({ tool, args }) => [tool, /** @type {any} */ (args).why])).toEqual(
    ['write_file', 'patch_file', 'apply_diff', 'revert_file', 'move_file', 'delete_file'].map((tool) => [tool, why]),
  );
  for (const request of asked) expect(approvalText(request)).toContain(why);
  const [call] = await kernel.ledger.query({ type: 'CALL', tool: 'write_file' });
  expect(call?.args).toMatchObject({ why });
});

test('an approval for good of a change without a reason is not for one with any', async () => {
  const { tools, asked, answer } = await asking();
  const written = { path: 'tools/count.ts', content: text(1) };
  answer.always = true;
  await tools.write_file.execute(written);
  await tools.write_file.execute(written);
  expect(asked).toHaveLength(1);
  answer.approved = false;
  await expect(tools.write_file.execute({ ...written, why })).rejects.toMatchObject({ code: 'ERR_APPROVAL' });
});
