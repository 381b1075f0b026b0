import { expect, test } from 'vitest';
import { columnsOf } from '../../dist/cli/terminal/agent_width.js';
import { fitted } from '../../dist/cli/terminal/screen.js';
import { atTerminal } from '../../tools/terminal.mjs';
import { tempRoot } from '../helpers/temp_root.js';

test('text is wrapped between words at the width of the terminal, with indentation', () => {
  expect(fitted('one two three four', 2, 11)).toBe('one two\n  three\n  four');
  expect(fitted('unbreakable word', 2, 8)).toBe('unbreakable\n  word');
  expect(fitted('one two three four', 2, 80)).toBe('one two three four');
});

test('a terminal without a size has the usual width, and none is too narrow', () => {
  expect(columnsOf({ isTTY: true, columns: 0 })).toBe(80);
  expect(columnsOf({ isTTY: true })).toBe(80);
  expect(columnsOf({ isTTY: true, columns: 3 })).toBe(20);
  expect(columnsOf({ isTTY: true, columns: 120 })).toBe(120);
  expect(columnsOf({})).toBe(Number.POSITIVE_INFINITY);
});

test('a command at a terminal without a size does not print one word per line', async () => {
  const { lines } = await atTerminal(await tempRoot(), ['doctor'], { columns: 0 });
  expect(lines.find((line) => line.includes('Run "tgp init"'))).toContain('otherwise the first use');
});

test('text in a pipe is one line', () => {
  const long = 'word '.repeat(100).trim();
  expect(fitted(long, 10, undefined)).toBe(long);
});
