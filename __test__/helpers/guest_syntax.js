/** The syntax tree of a guest script: who declares a name, and in which function a node is. */

import { createContext, runInContext } from 'node:vm';
import { parseAst } from 'rolldown/parseAst';

/**
 * @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node
 *
 * @typedef {object} Place
 * @property {Node} node
 * @property {Place | undefined} parent
 * @property {string} key the member of the parent that holds the node
 * @property {Scope} scope
 *
 * @typedef {object} Scope the names of a function or of a block in it
 * @property {string} name of the function: its own, or that of the variable or member that it is assigned to
 * @property {Node} node the function
 * @property {boolean} isBlock
 * @property {Map<string, Place>} names with the declaration
 * @property {Scope | undefined} outer
 */

const isFunction = (/** @type {Node} */ { type }) => /^(?:Function|ArrowFunction|StaticBlock|Program)/.test(type);
const isBlock = (/** @type {Node} */ { type }) => /^(?:BlockStatement|For|Switch|CatchClause)/.test(type);
const isNode = (/** @type {any} */ value) =>
  value !== null && typeof value === 'object' && typeof value.type === 'string';

/** @param {Node} node */
function childrenOf(node) {
  return Object.entries(node).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).filter(isNode).map((/** @type {Node} */ child) => ({ key, child })),
  );
}

/** @param {Place | undefined} parent @param {Node} node */
function functionName(parent, node) {
  const holder = parent?.node;
  const named = node.id ?? holder?.id ?? holder?.key ?? holder?.left?.property ?? holder?.left;
  return String(named?.name ?? '');
}

/**
 * All nodes of a script, each before its children.
 * @param {string} text
 */
export function placesOf(text) {
  /** @type {Place[]} */
  const places = [];
  /** @param {Node} node @param {Place | undefined} parent @param {string} key @param {Scope | undefined} outer */
  const visit = (node, parent, key, outer) => {
    const scope = scopeOf(node, parent, outer);
    const place = { node, parent, key, scope };
    places.push(place);
    for (const one of childrenOf(node)) visit(one.child, place, one.key, scope);
  };
  visit(/** @type {any} */ (parseAst(text)), undefined, '', undefined);
  for (const place of places) declare(place);
  return places;
}

/** @param {Node} node @param {Place | undefined} parent @param {Scope | undefined} outer @returns {Scope} */
function scopeOf(node, parent, outer) {
  if (outer === undefined || isFunction(node))
    return { name: functionName(parent, node), node, isBlock: false, names: new Map(), outer };
  return isBlock(node) ? { ...outer, isBlock: true, names: new Map(), outer } : outer;
}

/** The scope of the function that a scope is in. @param {Scope} scope @returns {Scope} */
const functionScope = (scope) => (scope.isBlock && scope.outer ? functionScope(scope.outer) : scope);

/** Enters the names that a node declares into their scope. @param {Place} place */
function declare(place) {
  const { node, scope } = place;
  if (node.type === 'VariableDeclarator') {
    const owner = place.parent?.node.kind === 'var' ? functionScope(scope) : scope;
    for (const name of boundNames(node.id)) owner.names.set(name, place);
  }
  if (node.type === 'CatchClause' && node.param)
    for (const name of boundNames(node.param)) scope.names.set(name, place);
  if (node.type === 'ClassDeclaration' && node.id) scope.names.set(node.id.name, place);
  if (node.type === 'ClassExpression' && node.id) scope.names.set(node.id.name, place);
  if (!/Function/.test(node.type)) return;
  if (node.type === 'FunctionDeclaration') scope.outer?.names.set(node.id.name, place);
  if (node.id) scope.names.set(node.id.name, place);
  for (const parameter of node.params) for (const name of boundNames(parameter)) scope.names.set(name, place);
  if (node.type !== 'ArrowFunctionExpression') scope.names.set('arguments', place);
}

/** @param {Node | null} pattern @returns {string[]} */
export function boundNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((/** @type {Node} */ one) => boundNames(one.value ?? one));
    case 'ArrayPattern':
      return pattern.elements.flatMap(boundNames);
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    case 'RestElement':
      return boundNames(pattern.argument);
    default:
      return [];
  }
}

/**
 * The declaration of a name, as seen from a scope; undefined for a global.
 * @param {Scope | undefined} scope
 * @param {string} name
 * @returns {Place | undefined}
 */
export function declarationOf(scope, name) {
  for (let one = scope; one !== undefined; one = one.outer) if (one.names.has(name)) return one.names.get(name);
  return undefined;
}

/** Whether an identifier is read or written, and not a key or a label. @param {Place} place */
export function isReference({ node, parent, key }) {
  if (node.type !== 'Identifier') return false;
  const holder = parent?.node;
  if (holder?.type === 'MetaProperty') return false;
  if (key === 'key' || key === 'property') return holder?.computed === true;
  return key !== 'id' && key !== 'label';
}

/**
 * The names of all members of the prototypes of the language: methods, and accessors. Those are what a guest can replace.
 * @returns {{ methods: Set<string>, accessors: Set<string> }}
 */
export function prototypeMembers() {
  const intrinsics = `
    const found = new Map();
    const seen = new Set();
    const visit = (prototype) => {
      if (prototype === null || seen.has(prototype)) return;
      seen.add(prototype);
      for (const key of Object.getOwnPropertyNames(prototype)) {
        const { get, value } = Object.getOwnPropertyDescriptor(prototype, key);
        if (get !== undefined) found.set(key, 'accessor');
        else if (typeof value === 'function' && found.get(key) !== 'accessor') found.set(key, 'method');
      }
      visit(Object.getPrototypeOf(prototype));
    };
    for (const key of Object.getOwnPropertyNames(globalThis)) if (globalThis[key]?.prototype) visit(globalThis[key].prototype);
    const iterated = [[][Symbol.iterator](), new Map().keys(), new Set().keys(), ''[Symbol.iterator](), ''.matchAll(/./g)];
    for (const one of [...iterated, (function* () {})(), (async function* () {})(), async () => {}, []]) visit(Object.getPrototypeOf(one));
    [...found];`;
  /** @type {[string, string][]} */
  const found = runInContext(intrinsics, createContext());
  const named = (/** @type {string} */ kind) => new Set(found.filter(([, one]) => one === kind).map(([name]) => name));
  return { methods: named('method'), accessors: named('accessor') };
}
