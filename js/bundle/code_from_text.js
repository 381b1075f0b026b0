/**
 * Replaces `eval` and `Function` in packages, which the sandbox does not allow, by shims that throw (`shims/refusing.cjs`). Code that
 * only obtains the global object that way still works.
 */

import { exportOf } from './node_parts.js';

/** Replaces `Function` where it is called. */
const MAKER = '$tgpFunction';

/** Globals that a bundle imports from the shims. */
export const CODE_MAKERS = {
  eval: exportOf('refusing', 'evaluate'),
  [MAKER]: exportOf('refusing', 'makeFunction'),
};

/** Larger files are not transformed, because their trees take too much memory; the sandbox then refuses the call itself. */
const MAX_PARSED_CHARS = 1 << 20;
/** Calls of `Function` by another name. */
const CALLERS = new Set(['apply', 'call']);

/**
 * Replaces `Function(…)`, `new Function(…)` and `Function.apply(…)`. Other uses of `Function` are kept: packages compare with it.
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
 * @returns {any} undefined if it is not plain JavaScript
 */
function treeOf(context, code) {
  try {
    return context.parse(code);
  } catch {
    return undefined;
  }
}

/**
 * The positions where `Function` is called, in order; none if the file declares that name. Iterative, because the tree may be deep.
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

/** @param {any} node @returns {any} the callee, if it is a call */
function calledName({ type, callee }) {
  if (type !== 'CallExpression' && type !== 'NewExpression') return undefined;
  return callee.type === 'MemberExpression' && CALLERS.has(callee.property.name) ? callee.object : callee;
}
