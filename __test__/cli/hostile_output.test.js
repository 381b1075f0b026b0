/** Every command against a workspace whose tools, files, commits, rules and model are hostile: no control sequence is printed. */

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { openaiServer } from '../../examples/demo/providers/openai_server.js';
import { byResults } from '../../tools/model_scripts.mjs';
import { runCli } from '../../tools/run_cli.mjs';
import { atTerminal } from '../../tools/terminal.mjs';
import { hasTerminals } from '../helpers/run_terminal.js';

const MINUTES = 60_000;
/** Sequences that clear the screen and set a title and a colour; C1, bidirectional and zero-width characters. */
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u001b[45m\u009b31m\u202eback\u2066\u200b';
const ESCAPED = JSON.stringify(EVIL).replace(
  /[\u007f-\uffff]/g,
  (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069]/;

const FILES = {
  'tools/evil.ts': `/** Evil ${EVIL} tool.\n * @when ${EVIL} */\nexport default async (_args: object): Promise<object> => {\n  console.log(${ESCAPED});\n  console.error(${ESCAPED});\n  return { [${ESCAPED}]: ${ESCAPED} };\n};\n`,
  'tools/throws.ts': `/** Throws ${EVIL}. */\nexport default (_args: object): number => {\n  const error = new Error(${ESCAPED} + '\\nforged line');\n  error.name = ${ESCAPED};\n  throw error;\n};\n`,
  'tools/broken.ts': `/** ${EVIL} */\nimport x from '${EVIL}';\nexport default (_args: object) => { const unused: any = '${EVIL}'; return x(unused) ;\n`,
  'tools/evil.test.ts': `import { expect, test } from '@tgp/std/test';\nimport evil from './evil.ts';\ntest(${ESCAPED}, async () => {\n  console.log(${ESCAPED});\n  expect(await evil({})).toEqual(${ESCAPED});\n});\n`,
  'tools/\u202eback.ts': '/** Back. */\nexport default (_args: object): number => 1;\n',
  'tools/\u009b31m.ts': '/** C1. */\nexport default (_args: object): number => 1;\n',
  'tools/\u001b[2J.ts': '/** CSI. */\nexport default (_args: object): number => 1;\n',
  'notes/new\nline\u200b.md': EVIL,
};
const RULES = `version: 1\ndefault: ask\nrules:\n  - { id: reading, allow: [read] }\n  - { id: closed, deny: [delete_file], reason: ${ESCAPED} }\n`;

/** The arguments of each command; several calls if one does not show all output. @type {Record<string, string[][]>} */
const CALLS = {
  agent: [['Note it down.', '--yes']],
  'sessions list': [['sessions', 'list']],
  'sessions show': [['sessions', 'show', 'SESSION']],
  'sessions close': [['sessions', 'close', 'SESSION']],
  replay: [['replay', 'SESSION', '--yes']],
  init: [['init', '--yes']],
  doctor: [['doctor']],
  list: [['list']],
  find: [['find', 'evil tool']],
  show: [
    ['show', 'evil'],
    ['show', 'broken'],
    ['show', EVIL],
  ],
  check: [['check'], ['check', '--fix', '--yes']],
  test: [['test', '--yes']],
  exec: [
    ['exec', 'evil', '--yes'],
    ['exec', 'throws', '--yes'],
    ['exec', 'evil'],
    ['exec', 'broken', '--yes'],
    ['exec', 'evil', '--dry-run', '--yes'],
  ],
  log: [['log']],
  remove: [
    ['remove', 'throws', '--dry-run'],
    ['remove', EVIL, '--yes'],
  ],
  move: [
    ['move', 'evil', 'moved', '--dry-run'],
    ['move', 'evil', EVIL, '--yes'],
  ],
  revert: [
    ['revert', 'evil', 'HEAD', '--dry-run'],
    ['revert', 'evil', EVIL, '--yes'],
  ],
  commit: [['commit', '--yes']],
  sync: [['sync', '--yes']],
  stats: [['stats']],
  'graph query': [
    ['graph', 'query', 'MATCH (n) RETURN n'],
    ['graph', 'query', EVIL],
  ],
  'graph impact': [
    ['graph', 'impact', 'evil'],
    ['graph', 'impact', EVIL],
  ],
  'graph history': [['graph', 'history', 'evil']],
  'graph picture': [
    ['graph', 'picture'],
    ['graph', 'picture', 'evil', '--as', 'svg'],
  ],
  'ledger tail': [['ledger', 'tail', '-n', '500']],
  'ledger show': [['ledger', 'show', 'CALL']],
  'ledger verify': [['ledger', 'verify']],
  'ledger sign-base': [['ledger', 'sign-base']],
  'ledger prune': [['ledger', 'prune', '--keep', '1000', '--dry-run']],
  'ledger export': [['ledger', 'export']],
  'policy check': [
    ['policy', 'check', 'evil.yaml'],
    ['policy', 'check', 'broken.yaml'],
  ],
  'policy explain': [
    ['policy', 'explain', 'delete_file', '--file', 'evil.yaml', '--args', JSON.stringify({ path: `x${EVIL}` })],
  ],
  'policy replay': [['policy', 'replay', 'evil.yaml']],
  mcp: [['mcp']],
  demo: [['demo']],
  completion: [
    ['completion', 'bash'],
    ['completion', EVIL],
  ],
};
/** Commands whose JSON is tested, too: all commands write it with the same function. */
const WITH_JSON = ['agent', 'exec', 'show', 'log', 'ledger tail', 'policy explain', 'doctor'];
/** Commands that change the data of others run last, one by one. */
const LAST = ['commit', 'check', 'agent', 'replay', 'sessions close', 'init'];

/** @type {string} */
let folder;
/** @type {NodeJS.ProcessEnv} */
let env;
/** @type {{ SESSION: string, CALL: string }} */
let names;
/** @type {Awaited<ReturnType<typeof openaiServer>>} */
let server;

beforeAll(async () => {
  const script = byResults([
    {
      say: `I see ${EVIL}.`,
      calls: [
        { name: 'write_file', input: { path: 'notes/a.md', content: EVIL } },
        { name: 'exec_tool', input: { path: 'tools/throws.ts', args: { [EVIL]: EVIL } } },
        { name: EVIL, input: {} },
      ],
    },
    { say: EVIL },
  ]);
  server = await openaiServer(script, { key: 'sk-x' });
  env = {
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: 'sk-x',
    TGP_MODEL: 'openai/gpt-5.4',
    NO_COLOR: undefined,
  };
  folder = await realpath(await mkdtemp(join(tmpdir(), 'tgp-test-')));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: EVIL, type: 'module' }));
  expect((await runCli(folder, ['init', '--yes'], { env })).code).toBe(0);
  const root = join(folder, '.tgp');
  await mkdir(join(root, 'notes'), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) await writeFile(join(root, path), text);
  await writeFile(join(folder, 'evil.yaml'), RULES);
  await writeFile(join(folder, 'broken.yaml'), `version: 1\nrules:\n  - { id: ${ESCAPED}, allow: [${ESCAPED}] }\n`);
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' });
  git('add', '-A', 'tools/evil.ts');
  git('-c', `user.name=Eve ${EVIL}`, '-c', 'user.email=eve@example.com', 'commit', '-q', '-m', `Add ${EVIL}`);
  await runCli(folder, ['Note it down.', '--yes'], { env });
  const [session] = (await runCli(folder, ['sessions', '--json'], { env })).json();
  const [call] = (await runCli(folder, ['ledger', 'tail', '--type', 'CALL', '-n', '1', '--json'], { env })).json();
  names = { SESSION: session.session, CALL: call.call };
  return async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  };
}, 3 * MINUTES);

/** @param {string[]} args */
const named = (args) => args.map((word) => (Object.hasOwn(names, word) ? /** @type {any} */ (names)[word] : word));

test('every command is tested', async () => {
  const { stdout } = await runCli(folder, ['completion', 'fish']);
  const inner = [...stdout.matchAll(/__fish_seen_subcommand_from (\w+)' -f -a ([\w-]+)/g)].map(
    ([, outer, below]) => `${outer} ${below}`,
  );
  const groups = new Set(inner.map((name) => name.split(' ')[0]));
  const outer = [...stdout.matchAll(/__fish_use_subcommand -f -a ([\w-]+)/g)].map(([, name]) => String(name));
  const all = [...outer.filter((name) => !groups.has(name)), ...inner];
  expect(all.sort()).toEqual(Object.keys(CALLS).sort());
});

/** An export is for programs and not escaped; its output at a terminal is tested below. */
const order = Object.keys(CALLS)
  .filter((name) => name !== 'ledger export')
  .sort((one, other) => LAST.indexOf(one) - LAST.indexOf(other));
describe.each(order)('tgp %s', (name) => {
  test('prints no control sequence of the workspace', { timeout: 2 * MINUTES }, async () => {
    const formats = WITH_JSON.includes(name) ? [[], ['--json']] : [[]];
    const calls = (CALLS[name] ?? []).flatMap((args) => formats.map((more) => [...named(args), ...more]));
    const seen = async (/** @type {string[]} */ args) => {
      const { stdout, stderr } = await runCli(folder, args, { env });
      // Without a client there is no output.
      if (name !== 'mcp') expect(`${stdout}${stderr}`, args.join(' ')).not.toBe('');
      expect(HARMFUL.exec(stdout), `${args.join(' ')}: ${JSON.stringify(stdout)}`).toBeNull();
      expect(HARMFUL.exec(stderr), `${args.join(' ')}: ${JSON.stringify(stderr)}`).toBeNull();
    };
    if (LAST.includes(name)) for (const args of calls) await seen(args);
    else await Promise.all(calls.map(seen));
  });
});

test('escaped JSON has the same value', async () => {
  const { result } = (await runCli(folder, ['exec', 'evil', '--yes', '--json'])).json();
  expect(result).toEqual({ [EVIL]: EVIL });
});

test('an export that was read from standard output can be verified', async () => {
  const { stdout } = await runCli(folder, ['ledger', 'export']);
  await writeFile(join(folder, 'export.ndjson'), stdout);
  expect(await runCli(folder, ['ledger', 'verify', '--file', 'export.ndjson'])).toMatchObject({ code: 0 });
});

describe.skipIf(!hasTerminals())('at a terminal with colours', { timeout: 2 * MINUTES }, () => {
  test.each([
    [['list']],
    [['show', 'evil']],
    [['exec', 'throws', '--yes']],
    [['ledger', 'export']],
    [['doctor']],
    [['log']],
    [['test', '--yes']],
  ])('tgp %j prints only its own control sequences', async (args) => {
    const { stdout } = await atTerminal(folder, args, { env });
    expect(stdout).toMatch(/\\u(?:\{1b\}|001b)/);
    for (const sequence of ['\u001b[2J', '\u001b]0;', '\u0007', '\u001b[45m', '\u009b', '\u202e', '\u2066', '\u200b']) {
      expect(stdout, JSON.stringify(sequence)).not.toContain(sequence);
    }
  });
});
