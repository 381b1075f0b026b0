import { expect, test } from 'vitest';
import { fitted } from '../../dist/cli/terminal/screen.js';

test('text is wrapped between words at the width of the terminal, with indentation', () => {
  expect(fitted('one two three four', 2, 11)).toBe('one two\n  three\n  four');
  expect(fitted('unbreakable word', 2, 8)).toBe('unbreakable\n  word');
  expect(fitted('one two three four', 2, 80)).toBe('one two three four');
});

test('text in a pipe is one line', () => {
  const long = 'word '.repeat(100).trim();
  expect(fitted(long, 10, undefined)).toBe(long);
});
