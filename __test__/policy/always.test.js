import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { policyKernel } from '../helpers/policy_kernel.js';

const FILE = `# Who may do what.
version: 1
default: ask # where no rule speaks
rules:
  - { id: reading, allow: [read] }
  # Payments need a person.
  - { id: payments, ask: [write], paths: ["tools/payments/**"] }

tests:
  - { call: { tool: delete_file, args: { path: tools/x.ts } }, expect: ask }
`;
const written = { path: 'tools/notes.json', content: '{}' };

/** @param {import('../../index.js').PolicyInput} policy */
async function asking(policy) {
  /** @type {import('../../index.js').ApprovalRequest[]} */
  const asked = [];
  /** @type {string[]} */
  const warnings = [];
  const logger = { ...console, info() {}, warn: (/** @type {string} */ text) => warnings.push(text) };
  const approve = (/** @type {import('../../index.js').ApprovalRequest} */ request) => {
    asked.push(request);
    return { approved: true, always: true, by: 'ann' };
  };
  return { ...(await policyKernel(policy, { approve, logger })), asked, warnings };
}

describe('an approval for good', () => {
  test('writes a rule that a person can read, and asks no more', async () => {
    const { tools, file, asked, kernel } = await asking(FILE);
    await tools.write_file.execute(written);
    expect(asked[0]?.always).toEqual({ allow: ['write_file'], paths: ['tools/notes.json'] });
    await tools.write_file.execute({ ...written, content: '{"a":1}' });
    expect(asked).toHaveLength(1);
    const text = await readFile(file, 'utf8');
    const [before, after] = FILE.split('\n\ntests:');
    expect(text).toBe(
      `${before}\n  - {"id":"always-1","allow":["write_file"],"paths":["tools/notes.json"],"reason":"Allowed for good by ann on ${new Date().toISOString().slice(0, 10)}."}\n\ntests:${after}`,
    );
    expect(await kernel.policy.explain({ tool: 'write_file', args: written })).toMatchObject({ rule: 'always-1' });
    await tools.write_file.execute({ path: 'tools/others.json', content: '{}' });
    expect(asked).toHaveLength(2);
    expect((await kernel.policy.check()).rules).toBe(4);
  });

  test('is for once where a rule asks, which is stricter than any that allows', async () => {
    const { tools, file, asked, warnings } = await asking(FILE);
    await tools.write_file.execute({ path: 'tools/payments/a.json', content: '{}' });
    expect(asked[0]?.always).toBeUndefined();
    expect(warnings.join()).toContain('approved this once');
    expect(await readFile(file, 'utf8')).toBe(FILE);
  });

  test.each([
    ['the policy is no file', { default: /** @type {const} */ ('ask') }],
    ['the file has its rules in one line', 'version: 1\ndefault: ask\nrules: [{ id: reading, allow: [read] }]\n'],
  ])('is for once where %s', async (_name, policy) => {
    const { tools, asked, warnings, file } = await asking(policy);
    await tools.write_file.execute(written);
    await tools.write_file.execute({ ...written, content: '{"a":1}' });
    expect(asked).toHaveLength(2);
    expect(warnings.join()).toContain('approved this once');
    if (typeof policy === 'string') expect(await readFile(file, 'utf8')).toBe(policy);
  });
});
