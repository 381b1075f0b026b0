/** A case that passes although none of its expectations held. */

import { expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const HEAD = `import { expect, test } from '@tgp/std/test';`;

it('marks a case as hollow if none of its expectations held', async () => {
  const { kernel, tools } = await createKernel();
  const content = `${HEAD}
test('caught', () => { try { expect(1).toBe(2); } catch { void 0; } });
test('caught later', async () => { await expect(Promise.resolve(1)).resolves.toBe(2).catch(() => {}); });
test('not awaited', () => { void expect(new Promise(() => {})).resolves.toBe(2); });
test('one held', () => { try { expect(1).toBe(2); } catch { void 0; } expect(1).toBe(1); });
test('of a helper', () => { expect(() => expect(1).toBe(2)).toThrow(); });
test('later', async () => { await expect(Promise.resolve(1)).resolves.toBe(1); });
test('returned', () => expect(Promise.reject(new Error('x'))).rejects.toThrow('x'));
test('a word', () => { (expect(true) as any).to.be.true; expect(1).not.toBe(2); });
test('words behind a matcher', () => {
  (expect([1, 2]) as any).to.include.members([1]);
});
test('more words', () => {
  (expect({ a: 1 }) as any).to.contain.keys('a');
});
test('of a class', () => {
  (expect(new Date()) as any).to.be.an.instanceof(Date);
});
test('of a length', () => {
  (expect([1, 2]) as any).to.have.lengthOf.at.least(2);
});
test('caught words', () => {
  try { (expect([1]) as any).to.include.members([2]); } catch { void 0; }
});
test.fails('wrong', () => { expect(1).toBe(2); });`;
  await tools.write_file.execute({ path: 'tools/a.test.ts', content });
  const { cases } = await kernel.test();
  expect(cases.map(({ name, ok, hollow }) => [name, ok, hollow === true])).toEqual([
    ['caught', true, true],
    ['caught later', true, true],
    ['not awaited', true, true],
    ['one held', true, false],
    ['of a helper', true, false],
    ['later', true, false],
    ['returned', true, false],
    ['a word', true, false],
    ['words behind a matcher', true, false],
    ['more words', true, false],
    ['of a class', true, false],
    ['of a length', true, false],
    ['caught words', true, true],
    ['wrong', true, false],
  ]);
});
