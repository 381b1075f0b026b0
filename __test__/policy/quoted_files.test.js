/** A verdict covers every file that a call reads, runs, imports or quotes; hints name no files that the caller may not read. */

import { describe, expect, test } from 'vitest';
import { KERNEL_TOOL_FACTS } from '../../dist/boundary/kernel_tool_facts.js';
import { AGENT_TOOLS } from '../../dist/tool_shape/agent_tool_table.js';
import { attenuate, tgpTools } from '../../index.js';
import { outcomeOf, policyKernel } from '../helpers/policy_kernel.js';

const SECRET = 'sk_live_4711';
const HIDDEN = 'tools/payments/rates.ts';
const FILES = {
  [HIDDEN]: `export const KEY = '${SECRET}' as const;\nexport type Key = '${SECRET}';\nexport const tariff_secret = 1;\n`,
  'tools/payments/tariffs.ts': 'export default (_args: object): number => 7;\n',
  // Wrong on purpose: the type checker quotes the constant.
  'tools/open/quotes.ts':
    "/** Quotes. */\nimport { KEY } from '../payments/rates';\nconst n: number = KEY;\nexport default (_args: object): number => n;\n",
  'tools/open/typed.ts':
    "/** Quotes. */\nimport type { Key } from '../payments/rates';\nconst n: Key = 'other';\nexport default (_args: object): string => n;\n",
  'tools/open/misspelt.ts':
    "/** Misspells. */\nimport { tariff_secrte } from '../payments/rates';\nexport default (_args: object) => tariff_secrte;\n",
  'tools/open/deep.ts':
    "/** Leads on. */\nimport run from './quotes';\nexport default (_args: object): number => run({});\n",
  'tools/open/plain.ts': '/** Plain. */\nexport default (_args: object): number => 1;\n',
  'tools/open/plain.test.ts':
    "import { expect, test } from '@tgp/std/test';\nimport plain from './plain';\ntest('is one', () => { expect(plain({})).toBe(1); });\n",
  'tools/open/quotes.test.ts': `import { expect, test } from '@tgp/std/test';\nimport { KEY } from '../payments/rates';\ntest('tells', () => { expect(KEY).toBe('x'); });\n`,
  'tools/payments/rates.test.ts':
    "import { expect, test } from '@tgp/std/test';\nimport { KEY } from './rates';\ntest('is', () => { expect(KEY).toBe('x'); });\n",
};
const NO_READ = 'default: allow\nrules:\n  - { id: secret, deny: [read], paths: ["tools/payments/**"] }\n';
const ONLY_OPEN = { allow: ['read', 'write', 'run'], paths: ['tools/open/**'] };
const OPEN_TOOLS = ['quotes.ts', 'typed.ts', 'misspelt.ts', 'deep.ts'].map((name) => `tools/open/${name}`);

/** Why an agent may not read payments: a rule, a rule that names the tool, a token. */
const READ_DENIALS = /** @type {const} */ ([
  ['a rule', NO_READ, undefined],
  [
    'a rule about read_file',
    'default: allow\nrules:\n  - { id: secret, deny: [read_file], paths: ["tools/payments/**"] }\n',
    undefined,
  ],
  ['a token', undefined, ONLY_OPEN],
]);

/**
 * @param {any} policy
 * @param {any} caveats
 * @param {any} [config]
 */
async function restrictedAgent(policy, caveats, config = {}) {
  const { kernel } = await policyKernel(policy, { files: FILES, config });
  await kernel.boot();
  const { token } = caveats === undefined ? { token: undefined } : await kernel.issueToken(caveats);
  /** @type {any} */
  const tools = tgpTools(kernel, token === undefined ? {} : { token });
  /** The answer to a call, as the agent sees it. @type {(tool: string, args: object, options?: object) => Promise<string>} */
  const answerOf = (tool, args, options) =>
    tools[tool].execute(args, options).then(
      (/** @type {unknown} */ answer) => JSON.stringify(answer),
      (/** @type {any} */ error) => JSON.stringify([error.code, error.message, error.details]),
    );
  return { kernel, tools, answerOf };
}

describe.each(READ_DENIALS)('with files that are unreadable because of %s', (_by, policy, caveats) => {
  test('check_tool does not quote unreadable files', async () => {
    const { answerOf } = await restrictedAgent(policy, caveats);
    for (const path of OPEN_TOOLS) {
      const answer = await answerOf('check_tool', { path });
      expect(answer, path).not.toMatch(/4711|tariff_secret\b/);
      expect(answer, path).toContain('ERR_DENIED');
    }
    expect(await answerOf('check_tool', { path: 'tools/open/plain.ts' })).toContain('"valid":true');
  });

  test('no read of a named file returns its text', async () => {
    const { answerOf } = await restrictedAgent(policy, caveats);
    const reads = Object.entries(AGENT_TOOLS).filter(([name]) => KERNEL_TOOL_FACTS[name].effect === 'read');
    const naming = reads.filter(([name]) => KERNEL_TOOL_FACTS[name].path === 'path');
    expect(naming.length).toBeGreaterThan(2);
    for (const [name, { example }] of naming) {
      const answer = await answerOf(name, { ...example, path: HIDDEN });
      expect(answer, name).not.toMatch(/4711|tariff_secret\b/);
      if (KERNEL_TOOL_FACTS[name].quotes) expect(answer, name).toContain('ERR_DENIED');
    }
    expect(await answerOf('search_files', { pattern: 'sk_live.*' })).not.toContain(SECRET);
  });

  test.each(['warn', 'strict'])(
    'a change that imports an unreadable file is denied, also as a dry run, with check: %s',
    async (check) => {
      const { answerOf } = await restrictedAgent(policy, caveats, { check });
      const spy =
        "/** S. */\nimport { KEY, tariff_secrte } from '../payments/rates';\nconst n: number = KEY;\nexport default (_args: object): number => n + tariff_secrte;\n";
      const plain = { path: 'tools/open/plain.ts' };
      for (const [tool, args] of /** @type {[string, object][]} */ ([
        ['write_file', { path: 'tools/open/spy.ts', content: spy }],
        [
          'patch_file',
          {
            ...plain,
            search: 'export',
            replace: "import { KEY } from '../payments/rates';\nconst n: number = KEY;\nexport",
          },
        ],
        [
          'apply_diff',
          {
            ...plain,
            diff: `<<<<<<< SEARCH\nexport default (_args: object): number => 1;\n=======\nimport type { Key } from '../payments/rates';\nexport default (_args: object): Key => 1;\n>>>>>>> REPLACE`,
          },
        ],
      ])) {
        for (const options of [{ dryRun: true }, {}]) {
          const answer = await answerOf(tool, args, options);
          expect(answer, tool).not.toMatch(/4711|tariff_secret\b/);
          expect(answer, tool).toContain('ERR_DENIED');
        }
      }
    },
  );

  test('an import of an unreadable file gets the same answer whether it exists or not', async () => {
    for (const check of ['warn', 'strict']) {
      const { answerOf } = await restrictedAgent(policy, caveats, { check });
      const answers = async (/** @type {string} */ name) => {
        const text = `/** S. */\nimport * as all from '../payments/${name}';\nexport default (_args: object): unknown => all;\n`;
        const code = `import * as all from './payments/${name}';\nexport default () => all;\n`;
        const calls = [
          await answerOf('write_file', { path: 'tools/open/spy.ts', content: text }, { dryRun: true }),
          await answerOf('write_file', { path: 'tools/open/spy.ts', content: text }),
          await answerOf('run_code', { code }),
        ];
        return calls.map((answer) => answer.replaceAll(name, 'NAME').replaceAll(/"(?:stats|logs)":.*$/g, ''));
      };
      const existing = await answers('rates');
      for (const answer of existing) expect(answer).toContain('ERR_DENIED');
      expect(await answers('nofar')).toEqual(existing);
    }
    const { answerOf } = await restrictedAgent(policy, caveats, { check: 'off' });
    for (const name of ['rates', 'nofar']) {
      const code = `return require('./payments/' + '${name}');`;
      expect(await answerOf('run_code', { code }), name).toContain('ERR_DENIED');
    }
  });

  test('exec_tool and test_tool neither run nor quote unreadable files', async () => {
    const { answerOf } = await restrictedAgent(policy, caveats, { check: 'strict' });
    for (const path of OPEN_TOOLS) {
      const answer = await answerOf('exec_tool', { path, args: {} });
      expect(answer, path).not.toMatch(/4711|tariff_secret\b/);
      expect(answer, path).toContain('ERR_DENIED');
    }
    const tested = await answerOf('test_tool', { path: 'tools/open/quotes.ts' });
    expect(tested).toContain('ERR_DENIED');
    expect(tested).not.toContain('4711');
    expect(await answerOf('test_tool', { path: 'tools/open/plain.ts' })).toContain('"ok":true');
  });

  test('hints and lists of importers and mentions do not name unreadable files', async () => {
    const { kernel, answerOf } = await restrictedAgent(policy, caveats, { check: 'off' });
    await kernel.vfs.writeFile(
      'tools/payments/uses_plain.ts',
      "import plain from '../open/plain';\nexport default plain;\n",
    );
    await kernel.vfs.writeFile('tools/payments/notes.ts', "export default 'see tools/open/typed.ts';\n");
    for (const [tool, args] of /** @type {[string, object][]} */ ([
      ['read_file', { path: 'tools/open/tariffs.ts' }],
      ['check_tool', { path: 'tools/open/tariffs.ts' }],
      ['exec_tool', { path: 'tools/open/tariffs.ts', args: {} }],
      ['test_tool', { path: 'tools/open/tariffs.ts' }],
      ['patch_file', { path: 'tools/open/tariffs.ts', search: 'a', replace: 'b' }],
      ['run_code', { code: "import tariffs from '/lib/open/tariffs';\nexport default () => tariffs;" }],
      ['run_code', { code: "export default () => tgp.read_file('tools/open/tariffs.ts');" }],
      ['delete_file', { path: 'tools/open/plain.ts' }],
      ['delete_file', { path: 'tools/open/typed.ts' }],
      ['test_tool', { path: 'tools/payments/r*' }],
    ])) {
      const answer = await answerOf(tool, args);
      expect(answer, `${tool} ${JSON.stringify(args)}`).not.toMatch(/payments\/(?:rates|tariffs|uses_plain|notes)/);
    }
  });
});

test('files that may be read are found, hinted at and quoted', async () => {
  const policy = 'default: allow\nrules:\n  - { id: other, deny: [read], paths: ["tools/other/**"] }\n';
  const { tools, answerOf } = await restrictedAgent(policy, undefined);
  expect(await answerOf('read_file', { path: 'tools/open/tariffs.ts' })).toContain('tools/payments/tariffs.ts');
  expect((await outcomeOf(tools.check_tool.execute({ path: 'tools/open/misspelt.ts' }))).verdict).toBe('allow');
  expect(await answerOf('check_tool', { path: 'tools/open/misspelt.ts' })).toContain('tariff_secret');
});

test('an ask rule for a file asks before the file is quoted, and an approved file is quoted', async () => {
  const policy = 'default: allow\nrules:\n  - { id: look, ask: [read], paths: ["tools/payments/**"] }\n';
  /** @type {any[]} */
  const asked = [];
  const approve = (/** @type {any} */ request) => {
    asked.push(request);
    return true;
  };
  const { tools } = await policyKernel(policy, { files: FILES, approve });
  const found = await tools.check_tool.execute({ path: 'tools/open/misspelt.ts' });
  expect(JSON.stringify(found)).toContain('tariff_secret');
  expect(asked).toMatchObject([{ tool: 'check_tool', rule: 'look', also: [{ effect: 'read', paths: [HIDDEN] }] }]);
});

test('test_tool has the effect run, for the test and all its imports', async () => {
  const policy = 'default: allow\nrules:\n  - { id: no-run, deny: [run], paths: ["tools/payments/**"] }\n';
  const { kernel, tools, answerOf } = await restrictedAgent(policy, undefined);
  expect(await outcomeOf(tools.test_tool.execute({ path: 'tools/open/quotes.ts' }))).toMatchObject({
    verdict: 'deny',
    rule: 'no-run',
  });
  expect(await answerOf('test_tool', { path: 'tools/open/plain.ts' })).toContain('"ok":true');
  const { token } = await kernel.issueToken({ allow: ['read'] });
  expect(
    (await outcomeOf(tgpTools(kernel, { token }).test_tool.execute({ path: 'tools/open/plain.ts' }))).verdict,
  ).toBe('deny');
  const safe = await policyKernel('safe', { files: FILES });
  expect((await outcomeOf(safe.tools.test_tool.execute({ path: 'tools/open/plain.ts' }))).verdict).toBe('ask');
});

test('the parameters of a tool are not shown to callers that may not run it', async () => {
  const policy = 'default: allow\nrules:\n  - { id: no-run, deny: [run], paths: ["tools/payments/**"] }\n';
  const files = {
    'tools/payments/wire.ts':
      '/** Wires. */\nexport default (args: { account_secret: string }) => args.account_secret;\n',
  };
  const { tools } = await policyKernel(policy, { files });
  const answer = await tools.exec_tool.execute({ path: 'tools/payments/wire.ts', args: { konto: 7 } });
  expect(answer).toMatchObject({ success: false, code: 'ERR_DENIED', error: expect.stringContaining("'no-run'") });
  expect(JSON.stringify(answer)).not.toContain('account_secret');
});

describe('the comparison with similar tools', () => {
  const KNOWN =
    '/** Price of an article with tax. */\nexport default (args: { net: number; code: number }) => args.net * 2 + (args.code % 7);\n';
  const PATH = 'tools/open/price.ts';
  /** A tool that equals the known one only for codes below a number. @param {number} below */
  const probe = (below) =>
    `/** Price of an article with tax. */\nexport default (args: { net: number; code: number }) => args.code < ${below} ? args.net * 2 + (args.code % 7) : -1;\n`;

  /** The equivalent tool that dry runs of writing each probe report. @param {any} tools @param {number[]} bounds */
  const similarTo = (tools, bounds) =>
    Promise.all(
      bounds.map(async (below) => {
        const args = { path: 'tools/open/probe.ts', content: probe(below) };
        const { result } = await tools.write_file.execute(args, { dryRun: true });
        return result.similar?.[0].path ?? 'nothing';
      }),
    );

  test('does not reveal the arguments of another session', async () => {
    const { kernel } = await policyKernel(undefined, { files: { [PATH]: KNOWN }, config: { memory: 'off' } });
    const theirs = tgpTools(kernel, { session: 'theirs' });
    for (const code of [12_345_678, 12_345_679]) {
      await theirs.exec_tool.execute({ path: PATH, args: { net: code % 10, code } });
    }
    const seenBy = (/** @type {any} */ tools) => similarTo(tools, [99_999_999, 1]);
    expect(await seenBy(tgpTools(kernel, { session: 'mine' }))).toEqual(['nothing', 'nothing']);
    const { token } = await kernel.issueToken({ allow: ['read', 'write', 'run'] });
    expect(await seenBy(tgpTools(kernel, { session: 'theirs', token }))).toEqual(['nothing', 'nothing']);
    // The caller that ran the tool gets the hint. The comparison has two seconds, which may be too short on a busy machine.
    await expect.poll(() => seenBy(theirs)).toEqual([PATH, 'nothing']);
  });

  test('does not run for a caller that may not run the tool', async () => {
    const policy =
      'default: allow\nrules:\n  - { id: no-run, deny: [run], paths: ["tools/open/probe.ts"], principal: ["agent:writer"] }\n';
    const { kernel } = await policyKernel(policy, { files: { [PATH]: KNOWN }, config: { memory: 'off' } });
    const agents = ['writer', 'other'].map((agent) => tgpTools(kernel, { agent }));
    for (const { exec_tool } of agents) {
      for (const code of [12_345_678, 12_345_679]) {
        expect(await exec_tool.execute({ path: PATH, args: { net: code % 10, code } })).toMatchObject({
          success: true,
        });
      }
    }
    const [writer, other] = agents;
    await expect.poll(() => similarTo(other, [99_999_999, 1])).toEqual([PATH, 'nothing']);
    expect(await similarTo(writer, [99_999_999, 1])).toEqual(['nothing', 'nothing']);
  });

  test('does not reveal arguments of the application or another agent without a session', async () => {
    const { kernel } = await policyKernel(undefined, { files: { [PATH]: KNOWN }, config: { memory: 'off' } });
    for (const code of [12_345_678, 12_345_679]) await kernel.exec(PATH, { net: code % 10, code });
    expect(await similarTo(tgpTools(kernel, { agent: 'other' }), [99_999_999, 1])).toEqual(['nothing', 'nothing']);
  });
});

test('check_tool is denied if a narrower token does not cover an import', async () => {
  const { kernel } = await policyKernel(undefined, { files: FILES });
  const { token } = await kernel.issueToken({ allow: ['check_tool'] });
  expect(
    (await outcomeOf(tgpTools(kernel, { token }).check_tool.execute({ path: 'tools/open/quotes.ts' }))).verdict,
  ).toBe('allow');
  const narrow = tgpTools(kernel, { token: attenuate(token, { paths: ['tools/open/**'] }) });
  expect((await outcomeOf(narrow.check_tool.execute({ path: 'tools/open/quotes.ts' }))).verdict).toBe('deny');
});
