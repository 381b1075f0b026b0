/** The example in which Cedar's own engine decides about every call, with the packages as npm would publish them. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { example } from '../helpers/fresh_application.js';
import { packedApplication } from '../helpers/packed_application.js';
import { SCRIPTED_MODEL } from '../helpers/running_server.js';

const exec = promisify(execFile);
const MINUTES = 60_000;

const CALLS = `
import { TGP, tgpTools } from '@tgp/core';
import { cedarPolicy } from './cedar_policy.mjs';

const requests = [];
const kernel = new TGP({
  config: { rootDir: './.calls', memory: 'off', policy: cedarPolicy(new URL('./tools.cedar', 'file://' + process.cwd() + '/')) },
  approve: ({ tool, path, rule, reason }) => requests.push([tool, path, rule, reason]) > 1,
});
const tools = tgpTools(kernel);
const outcomes = [];
for (const [tool, args] of JSON.parse(process.argv.at(-1))) {
  const rule = await tools[tool].execute(args).then(() => 'done', ({ code, details }) => [code, details.rule, details.reason].join(': '));
  outcomes.push(tool + ' ' + (args.path ?? args.from) + ' ' + rule);
}
await kernel.shutdown();
process.stdout.write(JSON.stringify({ outcomes, requests }));
`;

test(
  'Cedar allows, denies or requires approval, and the caller gets the id of the policy',
  async () => {
    const app = await packedApplication({ from: example('cedar') });
    const { stdout: answer } = await exec(process.execPath, ['--import', SCRIPTED_MODEL, 'agent.mjs'], { cwd: app });
    expect(answer).toBe('It bills as 576 pounds (forged tools/shipping/dim_weight.ts).\n');

    const content = 'return 1';
    const calls = [
      ['write_file', { path: 'tools/shipping/a.ts', content }],
      ['write_file', { path: 'tools/payments/a.ts', content }],
      ['write_file', { path: 'tools/shipping/../payments/a.ts', content }],
      ['move_file', { from: 'tools/shipping/a.ts', to: 'tools/payments/a.ts' }],
      ['delete_file', { path: 'tools/shipping/a.ts' }],
      ['write_file', { path: 'rates/a.json', content: '{}' }],
      ['write_file', { path: 'rates/b.json', content: '{}' }],
      ['read_file', { path: 'rates/b.json' }],
    ];
    const script = ['--input-type=module', '-e', CALLS, JSON.stringify(calls)];
    const { outcomes, requests } = JSON.parse((await exec(process.execPath, script, { cwd: app })).stdout);
    expect(outcomes).toEqual([
      'write_file tools/shipping/a.ts done',
      'write_file tools/payments/a.ts ERR_DENIED: default: Nothing permits it.',
      'write_file tools/shipping/../payments/a.ts ERR_DENIED: default: Nothing permits it.',
      'move_file tools/shipping/a.ts ERR_DENIED: default: Nothing permits it.',
      'delete_file tools/shipping/a.ts ERR_DENIED: nothing-goes: Tools are in use elsewhere.',
      expect.stringMatching(/^write_file rates\/a\.json ERR_APPROVAL: rates: /),
      'write_file rates/b.json done',
      'read_file rates/b.json done',
    ]);
    expect(requests).toEqual([
      ['write_file', 'rates/a.json', 'rates', 'Customers pay by these.'],
      ['write_file', 'rates/b.json', 'rates', 'Customers pay by these.'],
    ]);
  },
  3 * MINUTES,
);
