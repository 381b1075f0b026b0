import { readdirSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const SCRIPTS = new URL('../../crates/sandbox/src/engine/isolate/bootstrap/', import.meta.url);
const snapshot = readFileSync(new URL('../../tgp.snapshot', import.meta.url));
/** Has run when the snapshot is created, and nothing refers to it: V8 drops its text. */
const DROPPED = 'withheld.js';

/** The syntax tree without positions. @param {string} text */
const treeOf = (text) =>
  JSON.stringify(parseAst(text), (key, value) => {
    if (key === 'start' || key === 'end') return undefined;
    return typeof value === 'bigint' ? `${value}n` : value;
  });

/** The text from `head` to the end of the function, which V8 keeps with one or two bytes per character. @param {string} head */
function textInSnapshot(head) {
  for (const encoding of /** @type {const} */ (['latin1', 'utf16le'])) {
    const start = snapshot.indexOf(Buffer.from(head, encoding));
    if (start < 0) continue;
    const last = Buffer.from('\n})', encoding);
    return snapshot.subarray(start, snapshot.indexOf(last, start) + last.length).toString(encoding);
  }
  return undefined;
}

const scripts = readdirSync(SCRIPTS).filter((file) => file.endsWith('.js') && file !== DROPPED);

test.each(scripts)('%s has the same syntax tree in the snapshot, without comments', (file) => {
  const text = readFileSync(new URL(file, SCRIPTS), 'utf8');
  const head = /^\(function \w+\(/m.exec(text)?.[0] ?? '';
  const kept = textInSnapshot(head) ?? '';
  // Not `toBe`: it would print both trees.
  expect(treeOf(`${kept};`) === treeOf(text)).toBe(true);
  expect(kept).not.toMatch(/\/\*\*|^ *\/\//m);
});
