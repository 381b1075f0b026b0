import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ON_BEHALF } from '../../dist/kernel/access_symbols.js';
import { ownIdentity } from '../../dist/kernel/sessions/process_identity.js';
import { policyKernel, until, wait } from '../helpers/policy_kernel.js';

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

/**
 * @param {import('../../index.js').PolicyInput} policy
 * @param {true | { any: string[] }} [always] the permanent part of the answer
 * @param {Parameters<typeof policyKernel>[1]} [options]
 */
async function askingKernel(policy, always = true, options = {}) {
  /** @type {import('../../index.js').ApprovalRequest[]} */
  const asked = [];
  /** @type {string[]} */
  const warnings = [];
  const logger = { ...console, info() {}, warn: (/** @type {string} */ text) => warnings.push(text) };
  const approve = (/** @type {import('../../index.js').ApprovalRequest} */ request) => {
    asked.push(request);
    return { approved: true, always, by: 'ann' };
  };
  return { ...(await policyKernel(policy, { approve, logger, ...options })), asked, warnings };
}

describe('a permanent approval', () => {
  test('adds a readable rule to the policy file, and the call is not asked about again', async () => {
    const { tools, file, asked, kernel } = await askingKernel(FILE, { any: ['/content', '/why'] });
    await tools.write_file.execute(written);
    expect(asked[0]?.always).toEqual({
      allow: ['write_file'],
      paths: ['tools/notes.json'],
      args: { '/content': '{}', '/why': { absent: true } },
    });
    await tools.write_file.execute({ ...written, content: '{"a":1}' });
    expect(asked).toHaveLength(1);
    const text = await readFile(file, 'utf8');
    const [before, after] = FILE.split('\n\ntests:');
    expect(text).toBe(
      `${before}\n  - {"id":"always-1","allow":["write_file"],"paths":["tools/notes.json"],"reason":"Permanently allowed by ann on ${new Date().toISOString().slice(0, 10)}."}\n\ntests:${after}`,
    );
    expect(await kernel.policy.explain({ tool: 'write_file', args: written })).toMatchObject({ rule: 'always-1' });
    await tools.write_file.execute({ path: 'tools/others.json', content: '{}' });
    expect(asked).toHaveLength(2);
    expect((await kernel.policy.check()).rules).toBe(4);
  });

  test.each([
    ['rules: []', 'rules:'],
    ['rules: [ ] # none yet', 'rules: # none yet'],
  ])('is added to an empty list of rules: %s', async (empty, begun) => {
    const text = `version: 1\ndefault: ask\n${empty}\ntests: []\n`;
    const { tools, file, asked, warnings } = await askingKernel(text, { any: ['/content', '/why'] });
    await tools.write_file.execute(written);
    await tools.write_file.execute(written);
    expect(asked).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(await readFile(file, 'utf8')).toContain(
      `default: ask\n${begun}\n  - {"id":"always-1","allow":["write_file"]`,
    );
  });

  test('counts only once if an ask rule matches: it outranks every allow rule', async () => {
    const { tools, file, asked, warnings } = await askingKernel(FILE);
    await tools.write_file.execute({ path: 'tools/payments/a.json', content: '{}' });
    expect(asked[0]?.always).toBeUndefined();
    expect(warnings.join()).toContain('approved only once');
    expect(await readFile(file, 'utf8')).toBe(FILE);
  });

  test.each([
    ['the policy is not a file', { default: /** @type {const} */ ('ask') }],
    ['the file has its rules in one line', 'version: 1\ndefault: ask\nrules: [{ id: reading, allow: [read] }]\n'],
  ])('counts only once if %s', async (_name, policy) => {
    const { tools, asked, warnings, file } = await askingKernel(policy);
    await tools.write_file.execute(written);
    await tools.write_file.execute({ ...written, content: '{"a":1}' });
    expect(asked).toHaveLength(2);
    expect(warnings.join()).toContain('approved only once');
    if (typeof policy === 'string') expect(await readFile(file, 'utf8')).toBe(policy);
  });

  test('covers only the call that was shown: other content is asked about again', async () => {
    const { tools, asked } = await askingKernel(FILE);
    await tools.write_file.execute(written);
    await tools.write_file.execute(written);
    expect(asked).toHaveLength(1);
    await tools.write_file.execute({ ...written, content: '{"evil":1}' });
    expect(asked).toHaveLength(2);
  });

  test('covers only the shown arguments of an application function', async () => {
    /** @type {unknown[]} */
    const paid = [];
    const { tools, asked } = await askingKernel(
      'version: 1\ndefault: ask\nrules:\n  - { id: code, allow: [run, read] }\n',
      true,
      {
        sandboxAPI: { pay: (/** @type {unknown[]} */ ...amounts) => void paid.push(amounts) },
      },
    );
    const pay = (/** @type {string} */ args) => tools.run_code.execute({ code: `await tgp.pay(${args}); return 1;` });
    expect(await pay('1')).toMatchObject({ success: true });
    expect(asked[0]?.always).toEqual({ allow: ['pay'], args: { '/0': 1, '/1': { absent: true } } });
    await pay('1');
    expect(asked, 'the same call is not asked about again').toHaveLength(1);
    for (const args of ['2', '1, "and more"', '[1]', '']) await pay(args);
    expect(asked).toHaveLength(5);
    expect(paid).toHaveLength(6);
  });

  test('covers only the current text of a tool and the shown arguments', async () => {
    const { kernel, tools, asked, rootDir } = await askingKernel(
      'version: 1\ndefault: ask\nrules:\n  - { id: r, allow: [read] }\n',
    );
    const run = (/** @type {object} */ args) => tools.exec_tool.execute({ path: 'tools/ok.ts', args });
    await run({ n: 1 });
    const [first] = asked;
    expect(first?.text).toMatch(/^[0-9a-f]{64}$/);
    expect(first?.always).toEqual({
      allow: ['exec_tool'],
      paths: ['tools/ok.ts'],
      text: [first?.text],
      args: { '/args': { equals: { n: 1 } } },
    });
    await run({ n: 1 });
    expect(asked).toHaveLength(1);
    await run({ n: 2 });
    expect(asked).toHaveLength(2);
    await writeFile(
      join(rootDir, 'tools/ok.ts'),
      '/** Answers. */\nexport default (args: { n?: number }) => args.n ?? 666;\n',
    );
    await run({ n: 1 });
    expect(asked, 'a changed text is asked about again').toHaveLength(3);
    expect((await kernel.policy.check()).rules).toBe(4);
  });

  test('covers the imports of a tool', async () => {
    const { tools, asked } = await askingKernel('version: 1\ndefault: ask\nrules:\n  - { id: r, allow: [read] }\n');
    const run = () => tools.exec_tool.execute({ path: 'tools/priced.ts', args: {} });
    await run();
    expect(asked[0]?.always).toMatchObject({ paths: ['lib/price.ts', 'tools/priced.ts'], text: [asked[0]?.text] });
    expect(await run()).toMatchObject({ success: true, result: 5 });
    expect(asked, 'the rule covers the import').toHaveLength(1);
  });

  test('covers one program with its arguments and its input', async () => {
    const { kernel, asked } = await askingKernel('version: 1\ndefault: ask\nrules:\n  - { id: r, allow: [read] }\n');
    const explain = (/** @type {object} */ args) => kernel.policy.explain({ tool: 'run_program', args });
    const access = kernel[ON_BEHALF]({ agent: 'agent' });
    const command = { program: 'git', args: ['--version'], stdin: '' };
    await access.own({ tool: 'run_program', effect: 'shell', changes: true, args: command }, async () => 'done');
    expect(asked[0]?.always).toEqual({
      allow: ['run_program'],
      args: { '/program': 'git', '/args': { equals: ['--version'] }, '/stdin': '' },
    });
    expect(await explain(command)).toMatchObject({ verdict: 'allow', rule: 'always-1' });
    for (const other of [{ program: 'sh' }, { args: ['push'] }, { args: ['--version', 'x'] }, { stdin: 'x' }]) {
      expect(await explain({ ...command, ...other })).toMatchObject({ verdict: 'ask' });
    }
  });

  test('covers one request with its method, address and body', async () => {
    const rules = 'version: 1\ndefault: ask\nrules:\n  - { id: code, allow: [run, read] }\n';
    const { tools, asked, url, served } = await askingKernel(rules);
    const post = (/** @type {string} */ path, /** @type {string} */ body) =>
      tools.run_code.execute({
        code: `return (await fetch('${url}${path}', { method: 'POST', body: ${JSON.stringify(body)} })).status;`,
      });
    expect(await post('/pay', '{"amount":1}')).toMatchObject({ success: true, result: 200 });
    expect(asked[0]).toMatchObject({
      args: { body: '{"amount":1}' },
      always: { allow: ['fetch'], methods: ['POST'], args: { '/body': '{"amount":1}', '/url': `${url}/pay` } },
    });
    await post('/pay', '{"amount":1}');
    expect(asked).toHaveLength(1);
    await post('/pay', '{"amount":1000000}');
    await post('/other', '{"amount":1}');
    expect(asked).toHaveLength(3);
    expect(served).toHaveLength(4);
  });

  test('adds no rule and logs a warning if any names an unknown condition', async () => {
    const { tools, asked, warnings, file } = await askingKernel(FILE, { any: ['/unheard-of'] });
    await tools.write_file.execute(written);
    expect(warnings.join()).toContain('The rule has no condition "/unheard-of"');
    expect(await readFile(file, 'utf8')).toBe(FILE);
    expect(asked).toHaveLength(1);
  });

  test('adds a rule for each of several concurrent calls, and voids none', async () => {
    const { tools, file, asked, kernel, warnings } = await askingKernel(FILE);
    const calls = [1, 2, 3, 4].map((n) => ({ path: `tools/n${n}.json`, content: '{}' }));
    await Promise.all(calls.map((call) => tools.write_file.execute(call)));
    expect(asked).toHaveLength(4);
    for (const call of calls) await tools.write_file.execute(call);
    expect([asked.length, warnings]).toEqual([4, []]);
    const ids = [...(await readFile(file, 'utf8')).matchAll(/"id":"(always-\d)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['always-1', 'always-2', 'always-3', 'always-4']);
    expect((await kernel.policy.check()).rules).toBe(6);
  });

  test('waits for the lock of a running process, and ignores the lock of an ended one', async () => {
    const { tools, file, folder } = await askingKernel(FILE);
    const lock = join(folder, '.tgp.policy.yaml.lock');
    await writeFile(lock, JSON.stringify(ownIdentity()));
    const call = tools.write_file.execute(written);
    await wait(400);
    expect(await readFile(file, 'utf8')).toBe(FILE);
    // The change of the other process is kept.
    const other = FILE.replace('# Who may do what.', '# Another process was here.');
    await writeFile(file, other);
    await rm(lock);
    await call;
    expect(await readFile(file, 'utf8')).toMatch(/^# Another process was here\.[\s\S]*"always-1"/);
    await writeFile(lock, JSON.stringify({ ...ownIdentity(), pid: 2 ** 22 + 1, started: '1' }));
    await tools.write_file.execute({ ...written, path: 'tools/others.json' });
    expect(await readFile(file, 'utf8')).toContain('"always-2"');
    await expect(readFile(lock)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('keeps other pending approvals valid, unless a person has changed the rules', async () => {
    /** @type {Map<string | undefined, (answer: any) => void>} */
    const waiting = new Map();
    const { tools, file } = await policyKernel(FILE, {
      approve: ({ path }) => new Promise((answer) => waiting.set(path, answer)),
    });
    const write = (/** @type {string} */ path) => tools.write_file.execute({ path, content: '{}' });
    const [first, second, third] = ['tools/a.json', 'tools/b.json', 'tools/c.json'].map(write);
    await until(() => waiting.size === 3);
    waiting.get('tools/a.json')?.({ approved: true, always: true });
    await first;
    // Longer than the kernel needs to notice the changed file.
    await wait(800);
    waiting.get('tools/b.json')?.(true);
    await second;
    await writeFile(file, `${await readFile(file, 'utf8')}# by hand\n`.replace('[read]', '[read, sql]'));
    await wait(800);
    waiting.get('tools/c.json')?.(true);
    await expect(third).rejects.toMatchObject({ code: 'ERR_APPROVAL' });
  });

  test('adds no rule to a policy that changed after the request', async () => {
    for (const seen of ['in force', 'not yet read']) {
      const { tools, file } = await policyKernel(FILE, {
        approve: async () => {
          const text = await readFile(file, 'utf8');
          await writeFile(file, text.replace('default: ask', 'default: deny').replace('expect: ask', 'expect: deny'));
          if (seen === 'in force') await wait(800);
          return { approved: true, always: true };
        },
      });
      const call = { path: 'tools/a.json', content: '{}' };
      await tools.write_file.execute(call).catch(() => {});
      expect(await readFile(file, 'utf8'), seen).not.toContain('always-1');
      await expect.poll(() => tools.write_file.execute(call).catch(({ code }) => code)).toBe('ERR_DENIED');
    }
  });

  test('stores the hash of a long value', async () => {
    const { tools, asked, file } = await askingKernel(FILE);
    const long = { ...written, content: JSON.stringify('x'.repeat(50_000)) };
    await tools.write_file.execute(long);
    await tools.write_file.execute(long);
    expect(asked).toHaveLength(1);
    expect((await readFile(file, 'utf8')).length).toBeLessThan(FILE.length + 500);
    await tools.write_file.execute({ ...long, content: `${long.content} ` });
    expect(asked).toHaveLength(2);
  });
});
