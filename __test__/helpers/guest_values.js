/** What an expression of a guest script is, as far as its text tells. */

import { declarationOf } from './guest_syntax.js';

/**
 * @typedef {import('./guest_syntax.js').Place} Place
 * @typedef {import('./guest_syntax.js').Node} Node
 * @typedef {import('./guest_syntax.js').Scope} Scope
 */

/** Without a prototype, and out of reach of guests. */
const INTERNAL = ['realm', 'native', 'draft'];
/** Functions that return internal promises with a `constructor` of their own, which `await` reads. */
export const OWNING = ['own', 'untilSettled', 'unlessStopped'];
/** Functions that return text, or an object without a prototype. */
const HARMLESS_CALLS = [
  'newStep',
  'serialise',
  'slice',
  'decode',
  'sameBytes',
  'verify',
  'stop',
  'refuse',
  'unsupported',
];
const NUMERIC_CALLS = ['typedArrayBytes', 'utf8Length', 'bufferBytes', 'floor', 'trunc', 'min'];
const BUFFER_CALLS = ['typedArrayBuffer', 'viewBuffer'];

const GLOBALS = new Set(Object.getOwnPropertyNames(globalThis).filter((name) => /^[A-Z]/.test(name)));

/** The name of a member: of `a.b` and of `a['b']`. @param {Node | undefined} node @returns {string | undefined} */
export function memberName(node) {
  if (node?.type !== 'MemberExpression') return undefined;
  if (!node.computed) return node.property.type === 'PrivateIdentifier' ? undefined : node.property.name;
  return node.property.type === 'Literal' ? String(node.property.value) : undefined;
}

/**
 * The name of what is called: of a function, or of a member.
 * @param {Node | undefined} node @returns {string | undefined}
 */
export const calledName = (node) => (node?.type === 'Identifier' ? node.name : memberName(node));

/** @param {Node} node */
export function hasNoPrototype({ properties: [first] }) {
  return first?.key?.name === '__proto__' && first.value.type === 'Literal' && first.value.value === null;
}

/**
 * What a name was declared with; undefined for parameters, and for what a pattern takes.
 * @param {Node} node @param {Scope} scope
 */
export function initOf(node, scope) {
  const declared = node.type === 'Identifier' ? declarationOf(scope, node.name)?.node : undefined;
  return declared?.type === 'VariableDeclarator' && declared.id.type === 'Identifier' ? declared.init : undefined;
}

/**
 * The name of a call's function, also if a name was declared with the call.
 * @param {Node | undefined} node @param {Scope} scope
 */
export function callIn(node, scope) {
  if (node === undefined || node === null) return undefined;
  const value = initOf(node, scope) ?? node;
  const call = value.type === 'ChainExpression' ? value.expression : value;
  return call.type === 'CallExpression' ? calledName(call.callee) : undefined;
}

/**
 * Whether a value is a class of the language or of the realm, which guests reach: its members are not the scripts' own.
 * @param {Node} node @param {Scope} scope @returns {boolean}
 */
export function isReachable(node, scope) {
  if (node.type === 'MemberExpression') return GLOBALS.has(memberName(node) ?? '') && isRooted(node.object, scope);
  if (node.type !== 'Identifier') return false;
  const declared = declarationOf(scope, node.name);
  if (declared === undefined) return false;
  const { id, init } = declared.node;
  if (id?.type === 'ObjectPattern') return GLOBALS.has(node.name) && init !== null && isRooted(init, scope);
  return init?.type === 'MemberExpression' && isReachable(init, declared.scope);
}

/** Whether a value is an internal object, such as `realm.promises`, or what `const { promises } = realm` has taken from one. */
export function isInternal(/** @type {Node} */ node, /** @type {Scope} */ scope) {
  return !isReachable(node, scope) && isRooted(node, scope);
}

/** @param {Node} node @param {Scope} scope @returns {boolean} */
function isRooted(node, scope) {
  if (node.type === 'MemberExpression') return isRooted(node.object, scope);
  if (node.type !== 'Identifier') return false;
  const declared = declarationOf(scope, node.name);
  if (declared === undefined || INTERNAL.includes(node.name)) return declared !== undefined;
  const { id, init } = declared.node;
  if (id?.type === 'ObjectPattern') return init !== null && isRooted(init, declared.scope);
  return init?.type === 'ObjectExpression' && hasNoPrototype(init);
}

/**
 * Whether a promise may be resolved with a value: it is a primitive, has no prototype, or comes from an internal promise.
 * @param {Node | null | undefined} node @param {Scope} scope @returns {boolean}
 */
export function isHarmless(node, scope) {
  if (node === null || node === undefined) return true;
  switch (node.type) {
    case 'Literal':
    case 'TemplateLiteral':
    case 'BinaryExpression':
    case 'UnaryExpression':
      return true;
    case 'ObjectExpression':
      return hasNoPrototype(node);
    case 'ConditionalExpression':
      return isHarmless(node.consequent, scope) && isHarmless(node.alternate, scope);
    case 'AwaitExpression':
      return OWNING.includes(calledName(node.argument.callee) ?? '');
    case 'CallExpression':
      return isHarmlessCall(node, scope);
    case 'Identifier':
      return node.name === 'undefined' || isHarmlessName(node, scope);
    default:
      return false;
  }
}

/** @param {Node} node @param {Scope} scope @returns {boolean} */
function isHarmlessCall({ callee }, scope) {
  if (HARMLESS_CALLS.includes(calledName(callee) ?? '')) return true;
  const called = initOf(callee, scope);
  return (
    called?.type === 'ArrowFunctionExpression' &&
    !called.async &&
    resultsOf(called.body).every((one) => isHarmless(one, scope))
  );
}

/**
 * What a function returns: the body of an arrow, or the values of its return statements.
 * @param {any} node @returns {Node[]}
 */
function resultsOf(node, isBody = true) {
  if (isBody && node.type !== 'BlockStatement') return [node];
  if (node === null || typeof node !== 'object' || /Function/.test(node.type)) return [];
  if (node.type === 'ReturnStatement') return [node.argument];
  return Object.values(node).flatMap((child) => resultsOf(child, false));
}

/**
 * The first node that a test accepts, in the order of the text.
 * @param {any} node @param {(node: Node) => boolean} test @returns {Node | undefined}
 */
export function findNode(node, test) {
  if (node === null || typeof node !== 'object') return undefined;
  if (typeof node.type === 'string' && test(node)) return node;
  for (const child of Object.values(node)) {
    const found = findNode(child, test);
    if (found) return found;
  }
  return undefined;
}

/** @param {Node} node @param {Scope} scope @returns {boolean} */
function isHarmlessName(node, scope) {
  const declared = declarationOf(scope, node.name)?.node;
  if (declared?.type !== 'VariableDeclarator' || !declared.init) return false;
  return isHarmless(declared.id.type === 'Identifier' ? declared.init : undefined, scope);
}

/**
 * Whether a constructor of bytes gets a length or a buffer, and not what it would iterate.
 * @param {Node} node @param {Scope} scope @returns {boolean}
 */
export function isLengthOrBuffer(node, scope) {
  const value = initOf(node, scope) ?? node;
  if (value.type === 'ConditionalExpression')
    return isLengthOrBuffer(value.consequent, scope) && isLengthOrBuffer(value.alternate, scope);
  if (value.type === 'Literal') return typeof value.value === 'number';
  if (value.type === 'BinaryExpression')
    return value.operator !== '+' || isLengthOrBuffer(value.left, scope) || isLengthOrBuffer(value.right, scope);
  if (value.type === 'MemberExpression') return memberName(value) === 'length';
  const called = value.type === 'CallExpression' ? (calledName(value.callee) ?? '') : '';
  return NUMERIC_CALLS.includes(called) || BUFFER_CALLS.includes(called);
}
