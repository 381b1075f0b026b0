/** Invalid policies: a kernel does not boot with one, a reload ignores it, and the message names the line and the cause. */

import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigError, TGP } from '../../index.js';
import { eventsOf, policyKernel, until } from '../helpers/policy_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const rule = (/** @type {string} */ text) => `default: ask\nrules:\n  - { id: a, ${text} }\n`;

/** @type {[what: string, text: string, line: number, message: string][]} */
const MALFORMED = [
  ['an empty file', '', 1, 'empty'],
  ['only a comment', '# nothing\n', 1, 'empty'],
  ['plain text', 'just words\n', 1, 'must be a map'],
  ['a list', '- a\n- b\n', 1, 'not a list'],
  ['two documents', 'default: ask\n---\ndefault: allow\n', 2, 'one document'],
  ['a key twice', 'default: ask\ndefault: allow\n', 2, 'is a duplicate'],
  ['an unknown key', 'default: ask\nrulez: []\n', 2, "Did you mean 'rules'?"],
  ['another version', 'version: 2\n', 1, 'The version must be 1'],
  ['an unknown verdict', 'default: maybe\n', 1, 'allow, ask, deny'],
  ['a verdict that is true', 'default: true\n', 1, 'must be a text'],
  ['rules that are a text', 'default: ask\nrules: none\n', 2, 'must be a list'],
  ['an anchor', 'a: &x 1\nb: *x\n', 1, 'Anchors'],
  ['a tag', 'default: !!str ask\n', 1, 'Tags'],
  ['invalid YAML', 'default: ask\nrules: [\n', 2, 'not valid YAML'],
  ['a tabulator', 'default: ask\nrules:\n\t- a\n', 3, 'not valid YAML'],
  ['a rule without a name', 'rules:\n  - { allow: [read] }\n', 2, "needs an 'id'"],
  ['a rule without a verdict', 'rules:\n  - { id: a }\n', 2, 'exactly one of'],
  ['a rule with two verdicts', rule('allow: [read], deny: [write]'), 3, 'exactly one of'],
  ['a name that is already used', 'rules:\n  - { id: a, allow: read }\n  - { id: a, deny: run }\n', 3, 'already used'],
  ['a reserved name', 'rules:\n  - { id: default, allow: [read] }\n', 2, 'is reserved'],
  ['an unknown tool', rule('allow: [writefile]'), 3, "Did you mean 'write_file'?"],
  ['an unknown effect', rule('deny: [drop_everything]'), 3, 'Effects are'],
  ['an empty list', rule('allow: []'), 3, 'empty list'],
  ['an unknown matcher', rule('allow: [read], path: [x]'), 3, "Did you mean 'paths'?"],
  ['a path outside the root', rule("allow: [write], paths: ['../x']"), 3, "'..'"],
  ['an absolute path', rule("allow: [write], paths: ['/etc/passwd']"), 3, '/etc/passwd'],
  ['an invalid glob', rule("allow: [write], paths: ['a[']"), 3, 'not a valid glob'],
  ['a matcher that never matches', rule("allow: [net], paths: ['a']"), 3, 'never holds'],
  ['a host with a scheme', rule("allow: [net], hosts: ['https://a.example']"), 3, "without 'https://'"],
  ['an unknown method', rule('allow: [net], methods: [POTS]'), 3, "Did you mean 'POST'?"],
  ['an unknown verb', rule('allow: [sql], verbs: [udpate]'), 3, "Did you mean 'update'?"],
  ['a table with a wildcard', rule("allow: [sql], tables: ['a*']"), 3, 'written out'],
  ['an unknown argument', rule('allow: [search_files], args: { /limt: 1 }'), 3, "Did you mean 'limit'?"],
  ['a path as an argument', rule('allow: [write_file], args: { /path: x }'), 3, "Use 'paths'"],
  ['an unknown principal', rule("allow: [run], principal: ['user:bob']"), 3, "'agent:'"],
  ['an unknown mode', rule('allow: [run], mode: [stric]'), 3, "Did you mean 'strict'?"],
  [
    'a test that fails',
    'default: ask\ntests:\n  - { call: { tool: read_file, args: { path: a } }, expect: allow }\n',
    3,
    'the test expects allow, but the rules decide ask',
  ],
  ['a test of an unknown tool', 'tests:\n  - { call: { tool: pong }, expect: ask }\n', 2, "no tool 'pong'"],
];

test('the table has at least 30 malformed policies', () => {
  expect(MALFORMED.length).toBeGreaterThanOrEqual(30);
});

describe('a kernel does not boot with', () => {
  test.each(MALFORMED)('%s', async (_, text, line, message) => {
    const folder = await tempRoot();
    await writeFile(join(folder, 'p.yaml'), text);
    const kernel = new TGP({ config: { rootDir: join(folder, 'root'), policy: join(folder, 'p.yaml') } });
    const error = await kernel.boot().catch((thrown) => thrown);
    await kernel.shutdown();
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toContain(`p.yaml:${line}: `);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(folder);
    expect(error.details).toMatchObject({ at: `p.yaml:${line}` });
  });

  test('a missing file', async () => {
    const folder = await tempRoot();
    const kernel = new TGP({ config: { rootDir: join(folder, 'root'), policy: join(folder, 'none.yaml') } });
    await expect(kernel.boot()).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringContaining('none.yaml'),
    });
    await kernel.shutdown();
  });

  test.each([
    ['a number', 7, 'policy'],
    ['an empty text', '', 'policy'],
    ['an object with an unknown key', { rulez: [] }, "Did you mean 'rules'?"],
    ['an object with an unknown tool', { rules: [{ id: 'a', allow: ['writefile'] }] }, "Did you mean 'write_file'?"],
    ['a circular object', circular(), 'policy'],
  ])('%s', async (_, policy, message) => {
    const folder = await tempRoot();
    const boot = async () => {
      const kernel = new TGP({ config: { rootDir: join(folder, 'root'), policy: /** @type {any} */ (policy) } });
      try {
        await kernel.boot();
      } finally {
        await kernel.shutdown();
      }
    };
    await expect(boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', message: expect.stringContaining(message) });
  });
});

test('a reload of an invalid policy keeps the old rules, and logs the error', async () => {
  /** @type {string[]} */
  const log = [];
  const note = (/** @type {unknown[]} */ ...entry) => void log.push(entry.map(String).join(' '));
  const logger = { debug: () => {}, info: note, warn: note, error: note };
  const policy = 'default: allow\nrules:\n  - { id: closed, deny: [write] }\n';
  const { kernel, tools, file } = await policyKernel(policy, { logger });
  await kernel.boot();
  const { version } = await kernel.policy.check();
  for (const [what, text, line, message] of MALFORMED) {
    log.length = 0;
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
    await until(() => log.some((line) => line.includes('the old rules stay in force')));
    expect(log.join('\n'), what).toContain(`tgp.policy.yaml:${line}: `);
    expect(log.join('\n'), what).toContain(message);
    await expect(tools.write_file.execute({ path: 'a.md', content: 'x' }), what).rejects.toMatchObject({
      details: { rule: 'closed' },
    });
  }
  const versions = (await eventsOf(kernel, 'POLICY')).map((event) => event.version);
  expect(versions).toEqual([version]);
});

function circular() {
  /** @type {any} */
  const policy = { rules: [] };
  policy.rules.push(policy);
  return policy;
}
