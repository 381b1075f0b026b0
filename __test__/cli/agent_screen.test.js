/** The terminal output of an agent, which consists of untrusted text. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { harmlessJson } from '../../dist/boundary/harmless.js';
import { budgetOf, priceOf } from '../../dist/cli/agent/agent_budget.js';
import { withCommand } from '../../dist/cli/agent/agent_commands.js';
import { changeOf, lineDiff } from '../../dist/cli/agent/agent_diff.js';
import { widthOf, withinWidth, wrapped } from '../../dist/cli/terminal/agent_width.js';

const EVIL = '\u001b[2J\u001b]0;owned\u0007\r\u0008\u009b31m\u202eback\u2066\u0000';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for these characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const SUMMARY = {
  forged: [`tools/${EVIL}.ts`],
  reused: ['tools/b.ts'],
  tested: [],
  changed: ['notes/a.md'],
  calls: 3,
  steps: 2,
  tokens: { input: 1200, output: 300, total: 1500 },
  ms: 61_500,
};

/**
 * The output of a screen in a separate process.
 * @param {object[]} events
 * @param {'text' | 'json'} [format]
 */
async function shown(events, format = 'text') {
  const screen = pathToFileURL('dist/cli/terminal/agent_screen.js').href;
  const program = `
    const { AgentScreen } = await import(${JSON.stringify(screen)});
    const screen = new AgentScreen({ format: '${format}' });
    for await (const line of (await import('node:readline')).createInterface({ input: process.stdin })) screen.show(JSON.parse(line));
    screen.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
  child.stdin.end(events.map((event) => JSON.stringify(event)).join('\n'));
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(code, stderr).toBe(0);
  return { stdout, stderr };
}

const result = { type: 'tool_result', step: 1, call: 'c1', tool: 'exec_tool', path: 'tools/a.ts', from: 'made', ms: 3 };

test('text goes to standard output, and everything else to standard error, in plain lines', async () => {
  const { stdout, stderr } = await shown([
    { type: 'start', session: 's', task: 't', model: 'm', resumed: false },
    { type: 'text', step: 1, text: 'Let me ' },
    { type: 'text', step: 1, text: 'see.' },
    { type: 'tool_call', step: 1, call: 'c1', tool: 'exec_tool', path: 'tools/a.ts', args: {} },
    { ...result, ok: true, result: { success: true, result: { sum: 42 }, logs: [] } },
    { ...result, ok: true, tool: 'write_file', result: { success: true, persisted: true } },
    { ...result, ok: true, tool: 'check_tool', result: { valid: false } },
    { ...result, ok: false, code: 'ERR_TOOL_THROWN', error: 'It threw\nat line 3', result: {} },
    { ...result, ok: true, from: 'ledger', tool: 'read_file', result: 'text' },
    { ...result, ok: false, from: 'unknown', result: null },
    { type: 'retry', step: 2, attempt: 1, waitMs: 2000, reason: 'Overloaded.' },
    { type: 'text', step: 2, text: 'Done.' },
    { type: 'end', session: 'abc', outcome: 'done', text: 'Done.', summary: { ...SUMMARY, forged: ['tools/a.ts'] } },
  ]);
  expect(stdout).toBe('Let me see.\nDone.\n');
  expect(stderr.split('\n').map((line) => line.trimEnd())).toEqual([
    '✓ exec_tool      tools/a.ts  → {"sum":42}',
    '✓ write_file     tools/a.ts  committed',
    '✓ check_tool     tools/a.ts  not valid',
    '✗ exec_tool      tools/a.ts  ERR_TOOL_THROWN: It threw',
    '✓ read_file      tools/a.ts  made before',
    '? exec_tool      tools/a.ts  started; outcome unknown',
    '! the provider failed, attempt 1: Overloaded. Retrying in 2.0 s.',
    '✓ done',
    '  spent    2 steps, 3 calls, 1.5 k tokens, 1 min 2 s',
    '  forged   tools/a.ts',
    '  reused   tools/b.ts',
    '  changed  notes/a.md',
    '  session  abc',
    '',
  ]);
});

test('untrusted text never reaches the terminal as a control sequence', async () => {
  const request = { id: 'r', tool: `run${EVIL}`, path: EVIL, args: {}, rule: EVIL, at: EVIL, reason: EVIL };
  const { stdout, stderr } = await shown([
    { type: 'text', step: 1, text: `one\ntwo\t${EVIL}` },
    { type: 'text', step: 1, text: EVIL },
    { ...result, tool: EVIL, path: EVIL, ok: true, result: { success: true, result: EVIL } },
    { ...result, path: EVIL, ok: false, code: EVIL, error: EVIL, result: {} },
    { ...result, ok: true, result: { persisted: false, findings: [EVIL] } },
    { type: 'retry', step: 1, attempt: 1, waitMs: 1, reason: EVIL },
    { type: 'approval', state: 'answered', approved: false, by: EVIL, reason: EVIL, request },
    {
      type: 'end',
      session: EVIL,
      outcome: 'failed',
      text: EVIL,
      summary: SUMMARY,
      error: { code: EVIL, message: EVIL },
    },
  ]);
  expect(stdout).toMatch(/^one\ntwo\t\\u\{1b\}\[2J/);
  expect(stdout).not.toMatch(CONTROLS);
  expect(stderr).not.toMatch(CONTROLS);
  expect(stderr).toContain('\\u{1b}[2J');
});

test('characters and line ends that are split between events are joined', async () => {
  const { stdout } = await shown([
    { type: 'text', step: 1, text: 'a\ud83e' },
    { type: 'text', step: 1, text: '\uddee b\r' },
    { type: 'text', step: 1, text: '\nc\ud83e' },
  ]);
  expect(stdout).toBe('a🧮 b\nc\\u{d83e}\n'.replace('🧮', '\u{1f9ee}'));
});

test('with --json each event is one line, escaped for terminals, with the same value', async () => {
  const events = [
    { type: 'text', step: 1, text: EVIL },
    { type: 'end', session: 's', outcome: 'done', text: `\u{e0041}${EVIL}`, summary: SUMMARY },
  ];
  const { stdout, stderr } = await shown(events, 'json');
  expect(stderr).toBe('');
  expect(stdout).not.toMatch(CONTROLS);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(events);
  expect(JSON.parse(harmlessJson({ a: '\u{e0041}\u200f' }))).toEqual({ a: '\u{e0041}\u200f' });
});

describe('previews of changes', () => {
  test('show removed and added lines with context', async () => {
    const before = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';
    const after = 'one\ntwo\nthree\n4\nfive\nsix\nseven\neight\nnine\n';
    const signs = async (/** @type {string} */ one, /** @type {string} */ other) =>
      (await lineDiff(one, other)).map(({ sign, text }) => `${sign}${text}`);
    expect(await signs(before, after)).toEqual([
      ' one',
      ' two',
      ' three',
      '-four',
      '+4',
      ' five',
      ' six',
      ' seven',
      ' eight',
      '+nine',
    ]);
    expect(await signs('', 'a\nb\n')).toEqual(['+a', '+b']);
    expect(await signs('a\n', 'a')).toEqual(['-a', '+a', '…no newline at end of file']);
    expect(await signs(`${'x\n'.repeat(9)}a\n`, `${'x\n'.repeat(9)}b\n`)).toEqual(['…', ' x', ' x', ' x', '-a', '+b']);
    expect(await signs(before, before)).toEqual([]);
  });

  test('are replaced by the arguments if a diff would be incomplete', async () => {
    const content = 'b\n'.repeat(400_000);
    const request = { tool: 'write_file', path: 'a.md', args: { path: 'a.md', content } };
    expect(await changeOf(request, async () => 'a\n'.repeat(400_000))).toEqual({ covers: [], lines: [] });
    expect(await lineDiff('a\n'.repeat(9_000), 'b\n'.repeat(9_000))).toHaveLength(18_000);
  });

  test('exist for each tool, with escaped control characters', async () => {
    const read = async () => 'old\nkept\n';
    const path = 'notes/a.md';
    const signs = async (/** @type {any} */ request) => {
      const { lines } = await changeOf({ path, ...request }, read);
      return lines.map(({ sign, text }) => `${sign}${text}`);
    };
    const evil = `new${EVIL.replaceAll('\0', '')}\nkept\n`;
    expect(await signs({ tool: 'write_file', args: { path, content: evil } })).toEqual([
      '-old',
      expect.stringMatching(/^\+new\\u\{1b\}/),
      ' kept',
    ]);
    const binary = { tool: 'write_file', path, args: { path, content: '\0' } };
    expect(await changeOf(binary, read), 'shown by its arguments').toEqual({ covers: [], lines: [] });
    expect(await signs({ tool: 'patch_file', args: { search: 'old', replace: '$&' } })).toEqual([
      '-old',
      '+$&',
      ' kept',
    ]);
    expect(await signs({ tool: 'delete_file', args: {} })).toEqual(['-old', '-kept']);
    expect(await signs({ tool: 'apply_diff', args: { diff: '@@\n-a\n+b\n c' } })).toEqual([' @@', '-a', '+b', '  c']);
    expect(await signs({ tool: 'run_code', args: { code: 'x();' } })).toEqual([' x();']);
    expect(await signs({ tool: 'exec_tool', args: { a: 1 } })).toEqual([]);
    expect(await signs({ tool: 'write_file', args: undefined })).toEqual([]);
  });
});

test('text is limited to columns, also with wide characters', () => {
  expect(widthOf('abc')).toBe(3);
  expect(widthOf('日本🧮e\u0301')).toBe(7);
  expect(withinWidth('abcdef', 6)).toBe('abcdef');
  expect(withinWidth('abcdefg', 6)).toBe('abcde…');
  expect(widthOf(withinWidth('日本語日本語', 6))).toBeLessThanOrEqual(6);
  expect(wrapped('abcdefg', 3)).toEqual(['abc', 'def', 'g']);
  expect(wrapped('日本語日本語', 5)).toEqual(['日本', '語日', '本語']);
});

test('a sentence is a task, a word is a command', () => {
  expect(withCommand(['How many orders?'])).toEqual(['agent', 'How many orders?']);
  expect(withCommand(['今日の注文は?'])).toEqual(['agent', '今日の注文は?']);
  expect(withCommand(['--resume'])).toEqual(['agent', '--resume']);
  expect(withCommand(['--model', 'openai/x', 'task'])).toEqual(['agent', '--model', 'openai/x', 'task']);
  for (const argv of [['list'], ['forget'], ['--help'], ['-v'], [], [' list ']]) expect(withCommand(argv)).toBe(argv);
});

test('budgets are parsed with units, and invalid ones are refused', () => {
  expect(budgetOf('200k', 5)).toEqual({ steps: 5, tokens: 200_000 });
  expect(budgetOf('tokens=1.5m, money=2.50,time=10min', undefined)).toEqual({
    tokens: 1_500_000,
    money: 2.5,
    ms: 600_000,
  });
  expect(budgetOf(undefined, undefined)).toBeUndefined();
  for (const wrong of ['', 'x', '0', '-1', 'tokens=', 'time=5', 'money=2k', 'hours=3', 'tokens=1e9', '1k,']) {
    expect(() => budgetOf(wrong, undefined), wrong).toThrow(/--budget is not valid/);
  }
  expect(priceOf('1.25/10')).toEqual({ input: 1.25, output: 10 });
  for (const wrong of ['', '1', '1/', 'a/b', '-1/2']) expect(() => priceOf(wrong), wrong).toThrow(/--price/);
});
