/** The policy act: a denied call, an approval with a preview of the change, and a test required before the tool. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tgpTools } from '../../index.js';
import { FIX } from './database_act.js';
import { expect, last } from './turns.js';

/**
 * @typedef {import('./acts.js').Act} Act
 * @typedef {{ by: string, rule: string, at: string, diff: string }} Approval
 */

export const FEE = 'tools/shipping/oversize_fee.ts';
export const FEE_TEST = 'tools/shipping/oversize_fee.test.ts';
export const RATES = 'rates/oversize.json';

const POLICY = `version: 1
default: allow
rules:
  - { id: in-use, deny: [delete_file], paths: ["tools/maintenance/**"], reason: "The night job runs these." }
  - { id: rates, ask: [write_file], paths: ["rates/**"], reason: "Customers pay by these." }
`;

const TEST_SOURCE = `import { expect, test } from '@tgp/std/test';
import oversizeFee from './oversize_fee';

test.each([[576, 75], [500, 0]])('%i pounds cost %i more', (pounds, fee) => {
  expect(oversizeFee({ pounds, above: 500, fee: 75 })).toBe(fee);
});
`;

const SOURCE = `/** What a carrier adds for a box above a weight. */
export default function oversizeFee(args: { pounds: number; above: number; fee: number }): number {
  return args.pounds > args.above ? args.fee : 0;
}
`;

const CALL = { pounds: 576, above: 500, fee: 75 };

/** @type {Act} */
export const gate = {
  title:
    'Gate: a rule denies, a person sees the change and approves it, and no tool runs before its test was red and green',
  prompt: 'Boxes above 500 pounds cost 75 dollars more. The repair tool can go. What does the large box cost more?',
  steps: [
    () => ({ say: 'The repair tool goes first.', tool: 'delete_file', input: { path: FIX } }),
    (turns) => {
      const { rejected } = last(turns);
      const denial = /denied by rule 'in-use' \(tgp\.policy\.yaml:4\): The night job runs these\. Allowed instead: /;
      expect(denial.test(rejected ?? ''), 'the denial names rule, line, reason and what is allowed');
      const content = `${JSON.stringify({ above: CALL.above, fee: CALL.fee }, undefined, 2)}\n`;
      return { say: 'Then it stays. The new rate:', tool: 'write_file', input: { path: RATES, content } };
    },
    (turns) => {
      expect(last(turns).output?.persisted === true, 'what was approved is written');
      return { say: 'A tool for it.', tool: 'write_file', input: { path: FEE, content: SOURCE } };
    },
    (turns) => {
      const { rejected = '' } = last(turns);
      expect(rejected.includes('ERR_STATE') && rejected.includes(FEE_TEST), 'the test is to come first');
      return { say: 'The test first, then.', tool: 'write_file', input: { path: FEE_TEST, content: TEST_SOURCE } };
    },
    () => ({ say: 'It must fail now.', tool: 'test_tool', input: { path: FEE } }),
    (turns) => {
      expect(last(turns).output?.state?.phase === 'red', 'the test is red');
      return { say: 'Red. Now the tool.', tool: 'write_file', input: { path: FEE, content: SOURCE } };
    },
    (turns) => {
      expect(last(turns).output?.persisted === true, 'after a red test the tool is written');
      return { say: 'And again.', tool: 'test_tool', input: { path: FEE } };
    },
    (turns) => {
      expect(last(turns).output?.state?.phase === 'green', 'the test is green');
      return { say: 'Green. Run it.', tool: 'exec_tool', input: { path: FEE, args: CALL } };
    },
    (turns) => {
      const { success, result } = last(turns).output ?? {};
      expect(success === true && result === CALL.fee, 'what is green may run');
      return { say: `${result} dollars. The repair tool is in use, so I left it.` };
    },
  ],
};

/**
 * A kernel with rules, in strict mode, and an approver who previews each call before approving it.
 * @param {string} folder
 * @param {(approval: Approval) => void} show
 */
export async function gated(folder, show) {
  const policy = join(folder, 'tgp.policy.yaml');
  await writeFile(policy, POLICY);
  /** @type {(kernel: import('../../index.js').TGP, request: import('../../index.js').ApprovalRequest) => Promise<{ approved: boolean, by: string }>} */
  const approve = async (kernel, { args, rule, at }) => {
    const { write_file } = tgpTools(kernel, { agent: 'preview', dryRun: true, approve: () => true });
    const [change] = (await write_file.execute(args, { dryRun: true })).diffs;
    show({ by: 'ann', rule, at, diff: change?.diff ?? '' });
    return { approved: change !== undefined, by: 'ann' };
  };
  return { config: { policy, mode: /** @type {const} */ ('strict') }, approve };
}
