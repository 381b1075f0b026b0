/** The reason of a file change becomes part of the history, so the approver sees it. */

import { expect, test } from 'vitest';
import { approvalText } from '../../index.js';
import { policyKernel } from '../helpers/policy_kernel.js';

const POLICY = 'version: 1\ndefault: ask\nrules:\n  - { id: reading, allow: [read] }\n';
const why = 'because the report needs it';
const text = (/** @type {number} */ n) => `/** Counts. */\nexport default (_args: object) => ${n};\n`;

async function askingKernel() {
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

test('the request shows the reason, for every tool that changes files', async () => {
  const { kernel, tools, asked } = await askingKernel();
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

test('a permanent approval of a change without a reason does not cover a change with one', async () => {
  const { tools, asked, answer } = await askingKernel();
  const written = { path: 'tools/count.ts', content: text(1) };
  answer.always = true;
  await tools.write_file.execute(written);
  await tools.write_file.execute(written);
  expect(asked).toHaveLength(1);
  answer.approved = false;
  await expect(tools.write_file.execute({ ...written, why })).rejects.toMatchObject({ code: 'ERR_APPROVAL' });
});
