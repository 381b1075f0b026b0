import { expect, test } from 'vitest';
import { runCli } from '../../tools/run_cli.mjs';
import { tempRoot } from '../helpers/temp_root.js';

test('tgp demo --json prints one report of all acts', async () => {
  const folder = await tempRoot();
  const { code, ...printed } = await runCli(folder, ['demo', '--json']);
  expect(code).toBe(0);
  const report = printed.json();
  expect(report).toMatchObject({ success: true, boots: [{}, {}, {}, {}] });
  expect(report.acts.length).toBeGreaterThan(3);
  expect(report.acts[0].steps[1].calls[0]).toMatchObject({ tool: 'write_file', output: { success: true } });
  expect(report.history.join()).toContain('Forge: tools/shipping/dim_weight.ts');

  const [gate, asking, forging, reusing] = report.acts.slice(-4);
  expect(asking.steps.at(-1).say).toContain('Not without its test tools/shipping/oversize_fee.test.ts');
  const calls = gate.steps.flatMap((/** @type {any} */ step) => step.calls);
  expect(
    calls.map((/** @type {any} */ { tool, output }) => `${tool} ${output.code ?? output.state?.phase ?? 'done'}`),
  ).toEqual([
    'delete_file ERR_DENIED',
    'write_file done',
    'write_file ERR_STATE',
    'write_file done',
    'test_tool red',
    'write_file done',
    'test_tool green',
    'exec_tool done',
  ]);
  expect(calls[0].output.details).toEqual({
    verdict: 'deny',
    rule: 'in-use',
    at: 'tgp.policy.yaml:4',
    reason: 'The night job runs these.',
    nearest: expect.stringContaining('delete_file on paths outside'),
  });
  expect(calls[2].output.details.mustComeFirst[0]).toMatchObject({ tool: 'write_file', path: calls[3].input.path });
  const approvals = gate.steps.flatMap((/** @type {any} */ { approval = [] }) => approval);
  expect(approvals).toEqual([
    { by: 'ann', rule: 'rates', at: 'tgp.policy.yaml:5', diff: expect.stringContaining('+  "fee": 75') },
  ]);

  const dialogue = (/** @type {any} */ { steps }) =>
    steps.flatMap(({ say, calls: made }) => [
      say,
      ...made.map(({ tool, output }) => `${tool} ${output.state?.phase ?? ''}`),
    ]);
  expect(forging.title).toContain('a model of OpenAI');
  expect(dialogue(forging)).toEqual([
    'Is there a tool?',
    'find_tool ',
    'No. The test first.',
    'write_file ',
    'It must fail now.',
    'test_tool red',
    'Red. Now the tool.',
    'write_file ',
    'And again.',
    'test_tool green',
    'Green. Run it.',
    'exec_tool ',
    '4 pallets.',
  ]);
  expect(reusing.title).toContain('a model of Anthropic');
  expect(dialogue(reusing)).toEqual(['Is there a tool?', 'find_tool ', 'Yes.', 'exec_tool ', '5 pallets.']);
  expect(report.history.join()).toContain('Forge: tools/shipping/pallets.ts');
});
