/** Capability tokens: they can only be narrowed, and apply to everything that is done with them. */

import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attenuate, tgpTools } from '../../index.js';
import { caller, outcomeOf, policyKernel } from '../helpers/policy_kernel.js';
import { runProgram } from '../helpers/run_program.js';

const KEYS = ['an old key that has at least 32 bytes', 'a new key that has at least 32 bytes'];

test('a narrowed token allows nothing that the original denies', async () => {
  const { kernel } = await policyKernel('allow');
  const { token } = await kernel.issueToken({ allow: ['read', 'write', 'run'], paths: ['tools/**'] });
  const narrower = [
    { allow: ['read'] },
    { paths: ['tools/reports/**'] },
    { paths: ['**'] },
    { allow: ['read', 'sql', 'net', 'app', 'write'] },
    { allow: ['*'] },
  ];
  const calls = [
    ['read_file', { path: 'tools/ok.ts' }],
    ['read_file', { path: 'README.md' }],
    ['write_file', { path: 'tools/reports/x.md', content: 'x' }],
    ['write_file', { path: 'x.md', content: 'x' }],
    ['exec_tool', { path: 'tools/ok.ts' }],
    ['exec_sql', { sql: 'SELECT 1' }],
  ];
  const wide = await caller(kernel, { token });
  for (const caveats of narrower) {
    const less = await caller(kernel, { token: attenuate(token, caveats) });
    for (const [tool, args] of /** @type {[string, any][]} */ (calls)) {
      const [narrow, original] = [await less.call(tool, args), await wide.call(tool, args)];
      if (narrow.verdict === 'allow') expect(original.verdict, `${tool} ${JSON.stringify(caveats)}`).toBe('allow');
    }
  }
  expect(await wide.call('read_file', { path: 'README.md' })).toMatchObject({ verdict: 'deny', rule: 'token' });
});

describe('a token is invalid', () => {
  test('when it has expired, was revoked, or was changed', async () => {
    const { kernel } = await policyKernel('allow');
    const read = async (/** @type {string} */ token) =>
      outcomeOf(tgpTools(kernel, { token }).read_file.execute({ path: 'README.md' }));
    const { token, id } = await kernel.issueToken({ allow: ['read'] });
    const child = attenuate(token, { paths: ['**'] });
    expect([(await read(token)).verdict, (await read(child)).verdict]).toEqual(['allow', 'allow']);
    expect((await read(attenuate(token, { expires: Date.now() - 1_000 }))).verdict).toBe('deny');
    const middle = Math.floor(token.length / 2);
    const letter = token[middle] === 'A' ? 'B' : 'A';
    expect((await read(token.slice(0, middle) + letter + token.slice(middle + 1))).verdict).toBe('deny');
    await kernel.revokeToken(id);
    expect([(await read(token)).verdict, (await read(child)).verdict]).toEqual(['deny', 'deny']);
  });

  test('when its calls are used up; host calls of a run belong to its call', async () => {
    const { kernel } = await policyKernel('allow');
    const { token } = await kernel.issueToken({ allow: ['read', 'run'], calls: 2 });
    const { call, guest } = await caller(kernel, { token });
    expect((await guest("tgp.read_file('README.md')")).verdict).toBe('allow');
    expect((await call('read_file', { path: 'README.md' })).verdict).toBe('allow');
    expect((await call('read_file', { path: 'README.md' })).verdict).toBe('deny');
  });

  test('without the key that signed it; an older key in the list stays valid', async () => {
    const made = await policyKernel('allow', { config: { tokens: { keys: [String(KEYS[0])] } } });
    const { token } = await made.kernel.issueToken({ allow: ['read'] });
    for (const [keys, verdict] of /** @type {[string[], string][]} */ ([
      [[KEYS[1], KEYS[0]], 'allow'],
      [[KEYS[1]], 'deny'],
    ])) {
      const { kernel } = await policyKernel('allow', { config: { tokens: { keys } } });
      const { call } = await caller(kernel, { token });
      expect((await call('read_file', { path: 'README.md' })).verdict).toBe(verdict);
    }
  });
});

test('thousands of narrowed tokens do not use up the counts of other tokens, and can be revoked', async () => {
  const { kernel } = await policyKernel('allow');
  const read = async (/** @type {string} */ token) =>
    outcomeOf(tgpTools(kernel, { token }).read_file.execute({ path: 'README.md' }));
  const { token, id } = await kernel.issueToken({ allow: ['read'] });
  const { token: other } = await kernel.issueToken({ allow: ['read'], calls: 5 });
  /** @type {string[]} */
  const verdicts = [];
  for (let calls = 1; calls <= 1_001; calls += 1) verdicts.push((await read(attenuate(token, { calls }))).verdict);
  expect([verdicts.slice(0, 1_000).every((one) => one === 'allow'), verdicts.at(-1)]).toEqual([true, 'deny']);
  expect((await read(other)).verdict).toBe('allow');
  await kernel.revokeToken(id);
  expect((await read(attenuate(token, { calls: 1 }))).verdict).toBe('deny');
});

test('the token of the tool set restricts forged tools and host calls of runs', async () => {
  const { kernel } = await policyKernel('allow');
  const { token } = await kernel.issueToken({ allow: ['run'], paths: ['tools/ok.ts', 'tools/.code.ts'] });
  const tools = /** @type {any} */ (await kernel.liveTools(tgpTools(kernel, { token })));
  expect(await tools.ok.execute({})).toMatchObject({ success: true });
  expect(tools.payments_charge, 'not offered').toBeUndefined();
  const charged = await tools.exec_tool.execute({ path: 'tools/payments/charge.ts', args: {} });
  expect(charged).toMatchObject({ success: false, code: 'ERR_DENIED' });
  const { guest } = await caller(kernel, { token });
  expect((await guest("tgp.exec_tool('tools/payments/charge.ts', {})")).verdict).toBe('deny');
  expect((await guest("tgp.write_file('a.md', 'x')")).verdict).toBe('deny');
  const other = await kernel.issueToken({ allow: ['read'] });
  const mixed = { ...tgpTools(kernel, { token }), more: tgpTools(kernel, { token: other.token }).read_file };
  await expect(kernel.liveTools(mixed)).rejects.toMatchObject({ code: 'ERR_VALIDATION' });
});

describe('a token used by several kernels', () => {
  const config = { tokens: { keys: [String(KEYS[0])] } };
  const read = async (/** @type {import('../../index.js').TGP} */ kernel, /** @type {string} */ token) =>
    (await outcomeOf(tgpTools(kernel, { token }).read_file.execute({ path: 'README.md' }))).verdict;
  /** @param {string} rootDir shared by a second kernel, as by another process */
  const secondKernel = async (rootDir) => (await policyKernel('allow', { config: { ...config, rootDir } })).kernel;

  test.each([true, false])(
    'stays revoked after a restart and for other kernels of the root: ledger %s',
    async (ledger) => {
      const { kernel, rootDir } = await policyKernel('allow', { config: { ...config, ledger } });
      const other = await secondKernel(rootDir);
      const { token, id } = await kernel.issueToken({ allow: ['read'] });
      const child = attenuate(token, { paths: ['**'] });
      expect([await read(kernel, token), await read(other, child)]).toEqual(['allow', 'allow']);
      await kernel.revokeToken(id);
      expect([await read(other, token), await read(other, child)]).toEqual(['deny', 'deny']);
      await kernel.shutdown();
      const again = await secondKernel(rootDir);
      expect([await read(again, token), await read(again, child)]).toEqual(['deny', 'deny']);
      const { token: fresh } = await again.issueToken({ allow: ['read'] });
      expect(await read(other, fresh)).toBe('allow');
    },
  );

  test('has one count of calls for all kernels, also after a restart', async () => {
    const { kernel, rootDir } = await policyKernel('allow', { config });
    const other = await secondKernel(rootDir);
    const { token } = await kernel.issueToken({ allow: ['read'], calls: 3 });
    const child = attenuate(token, { calls: 2 });
    expect([await read(kernel, child), await read(other, child)]).toEqual(['allow', 'allow']);
    expect([await read(kernel, child), await read(other, child)]).toEqual(['deny', 'deny']);
    expect([await read(other, token), await read(kernel, token)]).toEqual(['allow', 'deny']);
    await kernel.shutdown();
    await other.shutdown();
    expect(await read(await secondKernel(rootDir), token)).toBe('deny');
  });

  test('has one count and one revocation for all processes', async () => {
    const { kernel, rootDir } = await policyKernel('allow', { config });
    const { token } = await kernel.issueToken({ allow: ['read'], calls: 2 });
    const other = (/** @type {string} */ work) =>
      runProgram(
        dirname(rootDir),
        `const kernel = new TGP({ config: ${JSON.stringify({ ...config, rootDir })} });
        const read = (token) => tgpTools(kernel, { token }).read_file.execute({ path: 'README.md' }).then(() => 'allow', ({ code }) => code);
        const result = await (${work})(read, kernel);
        await kernel.shutdown();
        console.log(JSON.stringify(result));`,
      );
    const reading = `(read) => read(${JSON.stringify(token)})`;
    expect([await other(reading), await read(kernel, token)]).toEqual(['allow', 'allow']);
    expect([await other(reading), await read(kernel, token)]).toEqual(['ERR_DENIED', 'deny']);
    const { token: second, id } = await kernel.issueToken({ allow: ['read'] });
    expect(await read(kernel, second)).toBe('allow');
    await other(`async (_, kernel) => { await kernel.revokeToken('${id}'); return null; }`);
    expect(await read(kernel, second)).toBe('deny');
  });

  test('has one budget for all kernels, also after a restart', async () => {
    const { kernel, rootDir } = await policyKernel('allow', { config });
    const other = await secondKernel(rootDir);
    const { token } = await kernel.issueToken({ allow: ['read'], budget: 1 });
    expect([await read(kernel, token), await read(other, token)]).toEqual(['allow', 'deny']);
    await kernel.shutdown();
    expect(await read(await secondKernel(rootDir), token)).toBe('deny');
  });
});
