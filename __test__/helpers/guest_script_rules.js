/**
 * The scripts that build a guest's realm use no built-in that a guest can replace: `primordials.js` captures what they need. A
 * replaced built-in would get internal values, or change what the scripts do.
 */

import { BROKEN_SCRIPTS, KEPT_SCRIPTS } from './guest_script_examples.js';
import { declarationOf, isReference, placesOf, prototypeMembers } from './guest_syntax.js';

/**
 * @typedef {import('./architecture_rules.js').Rule} Rule
 * @typedef {import('./guest_syntax.js').Place} Place
 * @typedef {import('./guest_syntax.js').Node} Node
 * @typedef {string | false | undefined} Problem
 */

const SCRIPT = /^crates\/sandbox\/src\/engine\/(?:isolate\/bootstrap|lazy)\/(\w+\.js)$/;

/**
 * Functions that run before the guest, when all built-ins are still V8's: the bodies of the scripts that the snapshot runs
 * (`bootstrap_scripts.rs`), and what only they call, or `start` before it loads the tool. Functions inside of them are not among
 * them.
 * @type {Record<string, string[]>}
 */
const BEFORE_GUEST = {
  'withheld.js': ['withheld', 'empty'],
  'primordials.js': ['primordials', 'getter'],
  'lazy.js': ['lazy'],
  'host.js': ['host'],
  'modules.js': ['modules'],
  'results.js': ['results'],
  'buffers.js': ['buffers'],
  'functions.js': ['functionTexts'],
  'tgp.js': ['bridge', 'offer'],
  'start.js': ['entry', 'start'],
  'clock.js': ['clockAndChance', 'seedChance', 'startClock'],
};

/**
 * Functions that use a guest's value as the standard requires: what the guest has replaced gets only the guest's own values.
 * @type {Record<string, Record<string, string[]>>}
 */
const OF_THE_GUEST = {
  ForOfStatement: {
    'abort.js': ['any'],
    'blob.js': ['collect'],
    'pair_iterator.js': ['eachPair'],
    'algorithms.js': ['usagesOf'],
    'key_import.js': ['checkJwk'],
  },
  // The iterator of `ReadableStream.from`.
  AwaitExpression: { 'readable_stream.js': ['pull', 'stopped'] },
  // The option of `ArrayBuffer`, and `ByteLengthQueuingStrategy`.
  MemberExpression: { 'buffers.js': ['ArrayBuffer'], 'transform_stream.js': ['size'] },
  // Objects that guests get. The scripts read no member of them that may be missing.
  ObjectExpression: {
    'clone.js': ['copyObject'],
    'console.js': ['consoleFunctions'],
    'encoding.js': ['encodeInto'],
    'modules.js': ['load'],
    'pair_iterator.js': ['next'],
    'performance.js': ['toJSON'],
    'readable_state.js': ['end', 'enqueue', 'read'],
    'key_import.js': ['hmacKey', 'facts'],
    'subtle_crypto.js': ['exportKey', 'generateKey'],
  },
};

/** Functions that return internal promises with a `constructor` of their own, which `await` and `then` read. */
const OWNING = ['own', 'untilSettled', 'unlessStopped'];
/** Without a prototype, and out of reach of guests. */
const INTERNAL = ['realm', 'native', 'draft'];
/** Globals that cannot be replaced. */
const CONSTANT = ['undefined', 'NaN', 'Infinity'];
const COLLECTIONS = ['Map', 'Set', 'WeakMap', 'WeakSet'];

const { methods: METHODS, accessors: ACCESSORS } = prototypeMembers();
// Members of internal objects, too, and of strings, arrays and lists their own.
for (const name of ['length', 'size', '__proto__']) ACCESSORS.delete(name);

/** @type {Record<string, (place: Place) => Problem>} */
const CHECKS = {
  Identifier: (place) => {
    const { name } = place.node;
    if (!isReference(place) || CONSTANT.includes(name) || declarationOf(place.scope, name)) return undefined;
    return `the global ${name}: capture it in primordials.js`;
  },
  CallExpression: (place) => {
    const { callee } = place.node;
    if (callee.type === 'Super') return superArguments(place);
    const name = calledName(callee);
    if (name === 'then' && calledName(place.node.arguments[0]?.callee) !== 'own') {
      return 'then reads the constructor of a promise: pass own(promise)';
    }
    if (callee.type !== 'MemberExpression' || isInternal(callee.object, place)) return undefined;
    return name !== undefined && METHODS.has(name) && `the method ${name}: capture it in primordials.js`;
  },
  MemberExpression: (place) => {
    const { object, property, computed } = place.node;
    if (computed || property.type !== 'Identifier') return undefined;
    if (object.type === 'ThisExpression') return `this.${property.name}: guests can redefine it; use a private member`;
    if (object.type === 'Super') return `super.${property.name}: guests can redefine it`;
    if (isInternal(object, place)) return undefined;
    if (property.name === 'value' && calledName(object.callee) === 'getOwnPropertyDescriptor') {
      return 'the value of a descriptor that may be an accessor: use ownValue';
    }
    return ACCESSORS.has(property.name) && `the accessor ${property.name}: capture it in primordials.js`;
  },
  NewExpression: ({ node }) =>
    COLLECTIONS.includes(calledName(node.callee) ?? '') &&
    node.arguments.length > 0 &&
    'a collection from an iterable: add the entries by captured functions',
  ObjectExpression: (place) => !isPrivate(place) && 'an object with Object.prototype: begin with __proto__: null',
  SpreadElement: ({ parent }) =>
    parent?.node.type !== 'ObjectExpression' && 'a spread iterates: use toArray, or ReflectApply with a list',
  ArrayPattern: () => 'a destructured array iterates: read it by index',
  ObjectPattern: ({ parent }) => parent?.node.init?.type === 'ThisExpression' && 'guests can redefine members of this',
  ForOfStatement: () => 'for…of iterates: count an index',
  ForInStatement: () => 'for…in reads the prototypes: use objectKeys',
  YieldExpression: ({ node }) => node.delegate && 'yield* iterates',
  AwaitExpression: ({ node: { argument } }) =>
    argument.name !== 'undefined' &&
    !OWNING.includes(calledName(argument.callee) ?? '') &&
    'await reads the constructor of a promise: await own(promise)',
  BinaryExpression: ({ node }) =>
    node.operator === 'instanceof' && 'instanceof: use native.classOf, or a private member',
  Literal: ({ node }) => 'regex' in node && 'a regular expression: guests can replace what its methods call',
  AssignmentExpression: (place) => assigned(place),
};

/**
 * Whether a value is an internal object, such as `realm.promises`, or what `const { promises } = realm` has taken from one.
 * @param {Node} node
 * @param {Place} place
 * @returns {boolean}
 */
function isInternal(node, place) {
  if (node.type === 'MemberExpression') return isInternal(node.object, place);
  if (node.type !== 'Identifier') return false;
  const declared = declarationOf(place.scope, node.name);
  if (declared === undefined || INTERNAL.includes(node.name)) return declared !== undefined;
  const { id, init } = declared.node;
  if (id?.type === 'ObjectPattern') return init !== null && isInternal(init, declared);
  return init?.type === 'ObjectExpression' && hasNoPrototype(init);
}

/** @param {Node} node */
function hasNoPrototype({ properties: [first] }) {
  return first?.key?.name === '__proto__' && first.value.type === 'Literal' && first.value.value === null;
}

/**
 * Whether an object lacks a prototype, or never leaves its place: `{}` that compares, or the pattern `const { a } = { a() {} }`.
 */
function isPrivate(/** @type {Place} */ { node, parent }) {
  const isTakenApart = parent?.node.type === 'VariableDeclarator' && parent.node.id.type === 'ObjectPattern';
  return hasNoPrototype(node) || isTakenApart;
}

/** @param {Node | undefined} node @returns {string | undefined} */
function calledName(node) {
  if (node?.type === 'MemberExpression')
    return node.property.type === 'Identifier' && !node.computed ? node.property.name : undefined;
  return node?.type === 'Identifier' ? node.name : undefined;
}

/** A guest can replace the class that a class extends, so that only parameters which the guest has passed may be passed on. */
function superArguments(/** @type {Place} */ { node, scope }) {
  const parameters = scope.node.params?.map((/** @type {Node} */ one) => (one.left ?? one).name) ?? [];
  const isPassedOn = ({ name = '' }) => parameters.includes(name) && !/key$/i.test(name);
  return !node.arguments.every(isPassedOn) && 'super with an internal value: guests can replace the extended class';
}

/** Assigning to a missing member calls a setter of the prototypes. @param {Place} place @returns {Problem} */
function assigned(place) {
  const { left } = place.node;
  const init = left.type === 'MemberExpression' && declarationOf(place.scope, left.object.name)?.node.init;
  const name = calledName(left);
  if (init?.type === 'ArrayExpression') return name !== 'length' && 'an assignment to an element: use put, or a list';
  if (init?.type !== 'ObjectExpression' || hasNoPrototype(init)) return undefined;
  const isThere = init.properties.some((/** @type {Node} */ one) => name !== undefined && one.key?.name === name);
  return !isThere && 'an assignment to a missing member: use put, or an object without a prototype';
}

/** @type {Rule[]} */
export const GUEST_SCRIPT_RULES = [
  {
    name: 'scripts of the realm use nothing that a guest can replace',
    check: ({ path, text }) => {
      const file = SCRIPT.exec(path)?.[1];
      if (file === undefined) return [];
      return placesOf(text).flatMap((place) => {
        const { type, start } = place.node;
        const exempt = [...(BEFORE_GUEST[file] ?? []), ...(OF_THE_GUEST[type]?.[file] ?? [])];
        const problem = !exempt.includes(place.scope.name) && CHECKS[type]?.(place);
        return problem ? [`line ${text.slice(0, start).split('\n').length}: ${problem}`] : [];
      });
    },
    broken: BROKEN_SCRIPTS,
    kept: KEPT_SCRIPTS,
  },
];
