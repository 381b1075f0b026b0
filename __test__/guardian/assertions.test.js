/** Assertions about the graph, invariants of the policy, and reviews of plans. */

import { expect, test } from 'vitest';
import { TGP } from '../../index.js';
import { codeOf, guardedKernel, TOOL } from '../helpers/guarded_kernel.js';

const EXISTS = "MATCH (f:File {path: 'tools/a.ts'}) RETURN f";

test('an assertion that does not hold rejects in both directions, and halts nothing', async () => {
  const { kernel } = await guardedKernel();
  await kernel.guardian.assert([{ cypher: EXISTS, expectRows: true }]);
  const missing = "MATCH (f:File {name: 'critical.ts'}) RETURN f";
  await kernel.guardian.assert([{ cypher: missing, expectRows: false }]);
  const details = (/** @type {string} */ invariant, /** @type {string} */ expected, /** @type {string} */ actual) => ({
    code: 'ERR_HALT',
    details: { code: 'EHALT', invariant, expected, actual },
  });
  await expect(kernel.guardian.assert([{ cypher: missing, expectRows: true }])).rejects.toMatchObject(
    details(missing, 'rows', 'no rows found'),
  );
  await expect(kernel.guardian.assert([{ cypher: EXISTS, expectRows: false }])).rejects.toMatchObject(
    details(EXISTS, 'no rows', 'rows found'),
  );
  expect(await codeOf(kernel.guardian.assert([{ cypher: 'MATCH (f:File RETURN', expectRows: true }]))).toBe(
    'ERR_VALIDATION',
  );
  expect((await kernel.exec('tools/a.ts', { n: 1 })).result).toBe(2);
});

test('an invariant of the policy halts until it holds', async () => {
  const policy = {
    default: /** @type {const} */ ('allow'),
    invariants: [
      {
        id: 'no-temp',
        cypher: "MATCH (f:File) WHERE f.name CONTAINS 'temp' RETURN f.path",
        expect: 'no rows',
        reason: 'Temporary files are not kept.',
      },
    ],
  };
  const { kernel, commit } = await guardedKernel({ guardian: 'halt', policy: /** @type {any} */ (policy) });
  await kernel.tools.write('tools/temp.ts', TOOL);
  const failed = await kernel.exec('tools/a.ts', { n: 1 }).catch((error) => error);
  expect(failed).toMatchObject({ code: 'ERR_HALT', details: { subject: 'no-temp' } });
  expect(failed.message).toContain('Temporary files are not kept');
  const report = await kernel.guardian.check();
  expect(report.violations).toMatchObject([{ invariant: 'no-temp', expected: 'no rows', actual: 'rows found' }]);
  expect(report.halts).toEqual(['no-temp']);
  commit('tools/temp.ts', undefined);
  await kernel.guardian.reconcile({ filePath: 'tools/temp.ts', diffRef: 'removed' });
  expect((await kernel.exec('tools/a.ts', { n: 1 })).result).toBe(2);
});

test('an invariant that does not parse is an error with its place', async () => {
  const policy = { default: 'allow', invariants: [{ id: 'bad', cypher: 'MATCH (f:File RETURN f', expect: 'rows' }] };
  const kernel = new TGP({ config: { guardian: 'halt', policy: /** @type {any} */ (policy) } });
  const failed = await kernel.boot().catch((error) => error);
  expect(failed.code).toBe('ERR_CONFIG');
  expect(failed.message).toContain('policy.invariants[0]');
  await kernel.shutdown();
});

test('a plan that deletes a file that others import is denied, and nothing is done', async () => {
  const { kernel, git } = await guardedKernel({});
  await kernel.tools.write(
    'tools/user.ts',
    '/** Uses. */\nimport a from "./a.ts";\nexport default (args: { n: number }) => a(args);\n',
  );
  const before = [
    git('rev-parse', 'HEAD'),
    git('status', '--porcelain'),
    (await kernel.ledger.tail({ type: 'CALL' })).length,
  ];
  const plan = { id: 'plan-123', steps: [{ type: 'DELETE_FILE', filePath: 'tools/a.ts' }] };
  const denied = await kernel.guardian.review(plan);
  expect(denied).toMatchObject({ type: 'deny', reason: expect.stringContaining('tools/a.ts') });
  expect(await kernel.guardian.review({ steps: [{ type: 'DELETE_FILE', filePath: 'tools/user.ts' }] })).toMatchObject({
    type: 'approve',
  });
  expect(await kernel.guardian.review({ steps: [{ type: 'WRITE_FILE', filePath: 'tools/a.ts' }] })).toMatchObject({
    type: 'approve',
  });
  expect([
    git('rev-parse', 'HEAD'),
    git('status', '--porcelain'),
    (await kernel.ledger.tail({ type: 'CALL' })).length,
  ]).toEqual(before);
});

test('reviews of the policy replace the default, and the application reviews last', async () => {
  const policy = {
    default: 'allow',
    reviews: [
      {
        id: 'keep',
        steps: ['DELETE_FILE'],
        cypher: 'MATCH (f:File {path: $filePath}) RETURN f',
        expect: 'no rows',
        reason: 'File exists in graph',
      },
    ],
  };
  /** @type {unknown[]} */
  const seen = [];
  const reviewPlan = (/** @type {any} */ plan) => {
    seen.push(plan.id);
    if (plan.id === 'throws') throw new Error('x');
    return plan.id === 'wrong' ? /** @type {any} */ (7) : { type: /** @type {const} */ ('deny'), reason: 'Not today.' };
  };
  const { kernel } = await guardedKernel({ policy: /** @type {any} */ (policy) }, { reviewPlan });
  const steps = [{ type: 'DELETE_FILE', filePath: 'tools/a.ts' }];
  expect(await kernel.guardian.review({ id: 'one', steps })).toMatchObject({
    type: 'deny',
    reason: expect.stringContaining('exists in graph'),
  });
  expect(seen).toEqual([]);
  expect(await kernel.guardian.review({ id: 'two', steps: [] })).toEqual({ type: 'deny', reason: 'Not today.' });
  expect(await kernel.guardian.review({ id: 'throws', steps: [] })).toMatchObject({ type: 'deny' });
  expect(await codeOf(kernel.guardian.review({ id: 'wrong', steps: [] }))).toBe('ERR_VALIDATION');
  expect(await codeOf(kernel.guardian.review(/** @type {any} */ ({ steps: [{}] })))).toBe('ERR_VALIDATION');
});

test('the self-inquiry names contradictions, or says that the records agree', async () => {
  const { kernel, commit } = await guardedKernel({});
  expect(await kernel.guardian.selfInquiry()).toEqual({ findings: ['Ledger, Git, registry and graph agree.'] });
  commit('tools/a.ts', undefined);
  const { findings } = await kernel.guardian.selfInquiry();
  expect(findings[0]).toContain('tools/a.ts exists in the ledger, but not in Git');
});
