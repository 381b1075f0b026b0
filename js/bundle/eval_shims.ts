/**
 * Replaces `eval` and `Function` in packages, which the sandbox does not allow, by shims that throw (`shims/refusing.cjs`). Code
 * that only obtains the global object that way still works.
 */

import type { Plugin, PluginContext } from 'rolldown';
import { exportOf } from './node_parts.js';

/** Replaces `Function` where it is called. */
const MAKER = '$tgpFunction';

/** The members of syntax tree nodes that are read here. */
type Node = {
  type?: string;
  start?: number;
  name?: string;
  id?: Node | null;
  local?: Node | null;
  params?: Node[];
  callee?: Node;
  object?: Node;
  property?: Node;
};

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
 */
export const evalShims = (): Plugin => ({
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

/** @returns undefined if it is not plain JavaScript */
function treeOf(context: PluginContext, code: string): unknown {
  try {
    return context.parse(code);
  } catch {
    return undefined;
  }
}

/**
 * The positions where `Function` is called, in order; none if the file declares that name. Iterative, because the tree may be deep.
 */
function calls(tree: unknown): number[] {
  const found: number[] = [];
  const open = [tree];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null) continue;
    const node: Node = value;
    if (declared(node).some(isFunction)) return [];
    const called = calledName(node);
    if (called?.start !== undefined && isFunction(called)) found.push(called.start);
    for (const child of Object.values(node)) open.push(child);
  }
  return found.sort((one, other) => one - other);
}

const isFunction = (node: Node | null | undefined) => node?.type === 'Identifier' && node.name === 'Function';

/** @returns the names that a variable, a class, a function or an import declares */
const declared = ({ id, params, local }: Node) => [id, local, ...(Array.isArray(params) ? params : [])];

/** @returns the callee, if it is a call */
function calledName({ type, callee }: Node): Node | undefined {
  if (type !== 'CallExpression' && type !== 'NewExpression') return undefined;
  return callee?.type === 'MemberExpression' && CALLERS.has(callee.property?.name ?? '') ? callee.object : callee;
}
