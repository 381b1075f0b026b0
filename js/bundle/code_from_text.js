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

/** Larger files stay as they are: their trees take too much memory, and the sandbox refuses in words of its own. */
const MAX_PARSED_CHARS = 1 << 20;
/** Calls of `Function` by another name. */
const CALLERS = new Set(['apply', 'call']);

/**
 * Replaces `Function(…)`, `new Function(…)` and `Function.apply(…)`. Where it is not called, `Function` is itself: packages compare with it.
 * @returns {import('rolldown').Plugin}
 */
export const codeFromText = () => ({
  name: 'tgp:code-from-text',
  transform: {
    filter: { code: /\bFunction\s*(?:\(|\.\s*(?:apply|call)\b)/ },
    handler(code) {
      const places = code.length > MAX_PARSED_CHARS ? [] : calls(treeOf(this, code));
      if (places.length === 0) return null;
      const ends = places.map((place) => place + 'Function'.length);
      const parts = [0, ...ends].map((start, index) => code.slice(start, places[index]));
      return { code: parts.join(MAKER), map: null };
    },
  },
});

/**
 * @param {import('rolldown').PluginContext} context
 * @param {string} code
 * @returns {any} none for what is no plain JavaScript
 */
function treeOf(context, code) {
  try {
    return context.parse(code);
  } catch {
    return undefined;
  }
}

/**
 * Where `Function` is called, in the order of the text; nowhere when a file has something of its own by that name. Goes through
 * the tree without recursion: it may be deep.
 * @param {any} tree
 * @returns {number[]}
 */
function calls(tree) {
  const found = [];
  const open = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    if (declared(node).some(isFunction)) return [];
    const called = calledName(node);
    if (isFunction(called)) found.push(called.start);
    for (const child of Object.values(node)) open.push(child);
  }
  return found.sort((one, other) => one - other);
}

/** @param {any} node */
const isFunction = (node) => node?.type === 'Identifier' && node.name === 'Function';

/** @param {any} node @returns {any[]} the names that a variable, a class, a function or an import declares */
const declared = ({ id, params, local }) => [id, local, ...(Array.isArray(params) ? params : [])];

/** @param {any} node @returns {any} what it calls, if it is a call */
function calledName({ type, callee }) {
  if (type !== 'CallExpression' && type !== 'NewExpression') return undefined;
  return callee.type === 'MemberExpression' && CALLERS.has(callee.property.name) ? callee.object : callee;
}
