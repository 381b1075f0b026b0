/** "All the rest" at the terminal of an agent covers what a terminal could have shown, and nothing else. */

import { expect, test, vi } from 'vitest';

vi.mock('../../js/cli/agent_keys.js', async (original) => ({
  .../** @type {object} */ (await original()),
  isTerminal: () => true,
  askForKey: async (/** @type {string} */ _question, /** @type {string[]} */ keys) => (keys.includes('r') ? 'r' : 'n'),
}));

const { AgentApprovals } = await import('../../js/cli/agent_approvals.js');

test('a request that is not whole is refused after all the rest was approved', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  /** @type {any} */
  const screen = { aside: (/** @type {() => unknown} */ work) => work() };
  const approvals = new AgentApprovals(
    screen,
    async () => '',
    () => {},
  );
  /** @type {any} */
  const request = {
    id: '1',
    tool: 'write_file',
    effect: 'write',
    path: 'a.md',
    args: { path: 'a.md', content: 'x' },
    rule: 'default',
    at: 'safe',
    reason: 'It asks.',
    signal: new AbortController().signal,
  };
  expect(await approvals.approve(request)).toMatchObject({ approved: true });
  expect(await approvals.approve({ ...request, id: '2' })).toMatchObject({ approved: true });
  const hidden = { ...request, id: '3', args: undefined, hiddenBytes: 2_000_000 };
  expect(await approvals.approve(hidden)).toMatchObject({ approved: false });
  vi.restoreAllMocks();
});
