/**
 * Code that packages make from text, which the sandbox does not run: calls lead to functions that say so (`shims/refusing.cjs`).
 * Most packages ask for nothing but the global object that way, and get it.
 */

import { exportOf } from './node_parts.js';

/** The name that stands for `Function` where it is called. */
const MAKER = '$tgpFunction';

/** Names that a bundle takes from the stand-ins. */
export const CODE_MAKERS = {
  eval: exportOf('refusing', 'evaluate'),
  [MAKER]: exportOf('refusing', 'makeFunction'),
};

/**
 * Replaces `Function(…)` and `new Function(…)`. Where it is not called, `Function` is itself: packages compare with it.
 * @returns {import('rolldown').Plugin}
 */
export const codeFromText = () => ({
  name: 'tgp:code-from-text',
  transform: {
    filter: { code: /\bFunction\s*\(/ },
    handler(code) {
      const places = calls(this.parse(code));
      if (places.length === 0) return null;
      const ends = places.map((place) => place + 'Function'.length);
      const parts = [0, ...ends].map((start, index) => code.slice(start, places[index]));
      return { code: parts.join(MAKER), map: null };
    },
  },
});

/**
 * Where `Function` is called, in the order of the text. Goes through the tree without recursion: it may be deep.
 * @param {any} tree
 * @returns {number[]}
 */
function calls(tree) {
  const found = [];
  const open = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (node === null || typeof node !== 'object') continue;
    const { type, callee } = node;
    const isCall = type === 'CallExpression' || type === 'NewExpression';
    if (isCall && callee.type === 'Identifier' && callee.name === 'Function') found.push(callee.start);
    for (const child of Object.values(node)) open.push(child);
  }
  return found.sort((one, other) => one - other);
}
