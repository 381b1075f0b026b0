/** `isToolAllowed`: what guardian, test mode and policy together would answer. */

import { expect, test } from 'vitest';
import { codeOf, guardedKernel, TOOL } from '../helpers/guarded_kernel.js';

test('the strictest of policy, test mode and guardian answers, and nothing is done', async () => {
  const policy = {
    default: 'allow',
    rules: [
      { id: 'no-b', deny: ['write'], paths: ['tools/b.ts'], reason: 'Kept.' },
      { id: 'ask-run', ask: ['run'], paths: ['tools/a.ts'] },
    ],
  };
  const { kernel, commit } = await guardedKernel({ guardian: 'halt', policy: /** @type {any} */ (policy) });
  const before = (await kernel.ledger.tail({ limit: 1 }))[0]?.seq;
  const write = (/** @type {string} */ path, /** @type {object} */ more = {}) =>
    kernel.isToolAllowed({ tool: 'write_file', args: { path, content: TOOL }, ...more });
  expect(await write('tools/c.ts')).toMatchObject({ allowed: true, verdict: 'allow' });
  expect(await write('tools/b.ts')).toMatchObject({
    allowed: false,
    verdict: 'deny',
    code: 'ERR_DENIED',
    rule: 'no-b',
    reason: 'Kept.',
  });
  expect(await write('tools/c.ts', { mode: 'strict' })).toMatchObject({
    allowed: false,
    verdict: 'deny',
    code: 'ERR_STATE',
  });
  expect(await kernel.isToolAllowed({ tool: 'tools/a.ts', args: { n: 1 } })).toMatchObject({
    allowed: false,
    verdict: 'ask',
    code: 'ERR_APPROVAL',
  });
  expect(await kernel.isToolAllowed({ tool: 'read_file', args: { path: 'tools/a.ts' } })).toMatchObject({
    allowed: true,
  });
  expect((await kernel.ledger.tail({ limit: 1 }))[0]?.seq).toBe(before);
  commit('tools/a.ts', undefined);
  expect(await write('tools/c.ts')).toMatchObject({ allowed: false, verdict: 'deny', code: 'ERR_HALT' });
  expect(await kernel.isToolAllowed({ tool: 'list_files', args: { dir: '.' } })).toMatchObject({ allowed: true });
  expect(await codeOf(kernel.isToolAllowed({ tool: 'write_fil' }))).toBe('ERR_VALIDATION');
});
