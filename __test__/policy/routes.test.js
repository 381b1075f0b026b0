/** No route bypasses the door: the same rule judges an effect by every route. */

import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createSqlTools, tgpTools } from '../../index.js';
import { failureOutcome, outcomeOf, policyKernel, until } from '../helpers/policy_kernel.js';

/** For each effect: the host call of a running tool, the tool call of an agent, and the method of the kernel. */
const EFFECTS = {
  read: {
    guest: "tgp.read_file('README.md')",
    agent: ['read_file', { path: 'README.md' }],
    own: (/** @type {any} */ kernel) => kernel.git.log('README.md'),
  },
  write: {
    guest: "tgp.write_file('/tmp/a.md', 'x')",
    agent: ['write_file', { path: 'a.md', content: 'x' }],
    own: (/** @type {any} */ kernel) => kernel.git.remove('README.md'),
  },
  sql: { guest: "tgp.exec_sql('SELECT 1')", agent: ['exec_sql', { sql: 'SELECT 1' }] },
  net: { guest: "fetch('URL/a')" },
  app: { guest: "tgp.send_mail({ to: 'ann' })" },
};

/** @param {string} code */
const inner = (code) => `/** Inner. */\nexport default async (_args: object) => { ${body(code)} };\n`;
/** @param {string} code */
const body = (code) =>
  `try { await (${code}); return {}; } catch (error: any) { return { code: error.code, error: error.message }; }`;

describe.each(Object.entries(EFFECTS))('%s', (effect, ways) => {
  test('is denied by the same rule on every route', async () => {
    /** @type {any} */
    let kernel;
    const again = async () => (await kernel.exec('tools/inner.ts', {})).result;
    const rules = {
      default: /** @type {const} */ ('allow'),
      rules: [{ id: 'closed', deny: [effect === 'app' ? 'send_mail' : effect] }],
    };
    const made = await policyKernel(rules, {
      sandboxAPI: { send_mail: () => 1, again },
      files: {
        'tools/outer.ts':
          "/** Outer. */\nexport default async (_args: object) => tgp.exec_tool('tools/inner.ts', {});\n",
      },
    });
    kernel = made.kernel;
    const code = ways.guest.replace('URL', made.url);
    await writeFile(`${made.rootDir}/tools/inner.ts`, inner(code));
    await kernel.boot();
    /** @type {Record<string, any>} */
    const tools = { ...tgpTools(kernel), ...createSqlTools(kernel) };
    const live = /** @type {any} */ (await kernel.liveTools(tgpTools(kernel)));
    const within = async (/** @type {Promise<any>} */ run) => failureOutcome((await run).result);
    const routes = {
      'a tool of the agent': ways.agent && outcomeOf(tools[String(ways.agent[0])].execute(ways.agent[1])),
      'a method of the kernel': ways.own && outcomeOf(ways.own(kernel)),
      'a run of the application': within(kernel.exec('tools/inner.ts', {})),
      exec_tool: within(tools.exec_tool.execute({ path: 'tools/inner.ts' })),
      'a forged tool': within(live.inner.execute({})),
      'a nested run': within(kernel.exec('tools/outer.ts', {})),
      run_code: within(tools.run_code.execute({ code: body(code) })),
      ...(effect !== 'app' && { 'a function that runs a tool': within(kernel.run('return tgp.again()')) }),
    };
    for (const [route, outcome] of Object.entries(routes)) {
      if (outcome) expect(await outcome, route).toMatchObject({ verdict: 'deny', rule: 'closed' });
    }
    const many = await Promise.all([...Array(50)].map(() => within(kernel.exec('tools/inner.ts', {}))));
    expect(new Set(many.map(({ verdict, rule }) => `${verdict} ${rule}`))).toEqual(new Set(['deny closed']));
  });
});

test('a run is denied by the same rule on every route', async () => {
  const rules = {
    default: /** @type {const} */ ('allow'),
    rules: [{ id: 'closed', deny: ['run'], paths: ['tools/payments/**'] }],
  };
  /** @type {any} */
  let kernel;
  const made = await policyKernel(rules, {
    sandboxAPI: { again: async () => (await kernel.exec('tools/payments/charge.ts', {})).result },
  });
  kernel = made.kernel;
  const live = /** @type {any} */ (await kernel.liveTools(made.tools));
  const path = 'tools/payments/charge.ts';
  const code = (/** @type {string} */ text) =>
    kernel.run(body(text)).then((/** @type {any} */ { result }) => failureOutcome(result));
  for (const outcome of [
    outcomeOf(made.tools.exec_tool.execute({ path })),
    outcomeOf(kernel.exec(path, {})),
    outcomeOf(live.payments_charge.execute({})),
    code(`tgp.exec_tool('${path}', {})`),
    code('tgp.again()'),
  ]) {
    expect(await outcome).toMatchObject({ verdict: 'deny', rule: 'closed' });
  }
});

test('a run that started before a change of the rules is judged by the new rules', async () => {
  const { kernel, file } = await policyKernel('default: allow\nrules: []\n');
  await kernel.boot();
  const before = (await kernel.policy.check()).version;
  const run = kernel.run(
    `const end = Date.now() + 25_000;
     while (Date.now() < end) {
       try { tgp.read_file('README.md'); } catch (error) { return { code: error.code, error: error.message }; }
       await new Promise((done) => setTimeout(done, 100));
     }
     return {};`,
  );
  await writeFile(file, 'default: allow\nrules:\n  - { id: closed, deny: [read] }\n');
  expect(failureOutcome((await run).result)).toMatchObject({ verdict: 'deny', rule: 'closed' });
  await until(async () => (await kernel.policy.check()).version !== before);
});
