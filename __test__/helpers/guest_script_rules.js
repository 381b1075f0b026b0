/**
 * The scripts that build a guest's realm use no built-in that a guest can replace: `primordials.js` captures what they need. A
 * replaced built-in would get internal values, or change what the scripts do.
 *
 * The rule reads text, so it does not see what only types or values tell: an index beyond the end of an array or a string, an
 * assignment to a member that a parameter lacks, an internal object that is converted to text, a value that a callback passes on.
 * `__test__/sandbox/trapped_prototypes.test.js` traps all of these while the realm's globals are used.
 */

import { BROKEN_SCRIPTS, KEPT_SCRIPTS, UNREADABLE_SCRIPTS } from './guest_script_examples.js';
import { isExempt } from './guest_script_exemptions.js';
import { declarationOf, isReference, placesOf, prototypeMembers } from './guest_syntax.js';
import {
  calledName,
  callIn,
  findNode,
  hasNoPrototype,
  initOf,
  isHarmless,
  isInternal,
  isLengthOrBuffer,
  isReachable,
  memberName,
  OWNING,
} from './guest_values.js';

/**
 * @typedef {import('./architecture_rules.js').Rule} Rule
 * @typedef {import('./guest_syntax.js').Place} Place
 * @typedef {import('./guest_syntax.js').Node} Node
 * @typedef {import('./guest_syntax.js').Scope} Scope
 * @typedef {string | false | undefined} Problem
 */

const SCRIPT = /^crates\/sandbox\/src\/engine\/(?:isolate\/bootstrap|lazy)\/(\w+\.js)$/;

/** Globals that cannot be replaced. */
const CONSTANT = ['undefined', 'NaN', 'Infinity'];
const COLLECTIONS = ['Map', 'Set', 'WeakMap', 'WeakSet'];
const DESCRIPTOR_OF = 'getOwnPropertyDescriptor';
const ITERATED = 'a collection from an iterable: add the entries by captured functions';

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
    const { node, scope } = place;
    if (node.callee.type === 'Super') return superArguments(place);
    const name = calledName(node.callee) ?? '';
    const [first, second, third] = node.arguments;
    switch (name) {
      case 'then':
        return 'then reads the constructor of a promise, and the species of Promise: await own(promise)';
      case 'resolve':
      case 'settled':
        return resolved(first, scope);
      case 'ReflectConstruct':
        return COLLECTIONS.includes(calledName(first) ?? '') && second?.elements?.length !== 0 && ITERATED;
      case 'JSONStringify':
        return (
          callIn(first, scope) === 'toArray' &&
          'JSONStringify reads toJSON of an internal array: give it one of its own'
        );
      case 'defineProperty':
        return (
          callIn(third, scope) === DESCRIPTOR_OF &&
          'a descriptor inherits members: copy it to an object without a prototype'
        );
      default:
    }
    if (node.callee.type !== 'MemberExpression' || isInternal(node.callee.object, scope)) return undefined;
    return METHODS.has(name) && `the method ${name}: capture it in primordials.js`;
  },
  MemberExpression: (place) => {
    const { node, scope } = place;
    const { object } = node;
    const name = memberName(node);
    if (node.property.type === 'PrivateIdentifier') return undefined;
    if (object.type === 'ThisExpression') return `this.${name}: guests can redefine it; use a private member`;
    if (object.type === 'Super') return `super.${name}: guests can redefine it`;
    if (isReachable(object, scope)) return `${name} of a class that guests can change: capture it in primordials.js`;
    if (place.key !== 'left' && isAtEnd(node)) return 'an index that may be at the end';
    return name !== undefined && memberProblem(object, name, scope);
  },
  NewExpression: (place) => {
    const { node, scope } = place;
    const name = calledName(node.callee) ?? '';
    if (COLLECTIONS.includes(name) && node.arguments.length > 0) return ITERATED;
    if (/^(?:Uint8Array|ArrayBuffer|DataView)$/.test(name) && node.arguments.length > 0) {
      return (
        !isLengthOrBuffer(node.arguments[0], scope) &&
        'bytes of a value that may be iterated: pass a length or a buffer'
      );
    }
    return newOfDerived(place);
  },
  ClassDeclaration: (place) => derivedClass(place),
  ClassExpression: (place) => derivedClass(place),
  ThisExpression: ({ parent, key }) =>
    /^(?:VariableDeclarator|Assignment)/.test(parent?.node.type ?? '') &&
    key !== 'left' &&
    'another name of this: guests can redefine its members',
  ObjectExpression: (place) => !isPrivate(place) && 'an object with Object.prototype: begin with __proto__: null',
  SpreadElement: ({ parent }) =>
    parent?.node.type !== 'ObjectExpression' && 'a spread iterates: use toArray, or ReflectApply with a list',
  ArrayPattern: () => 'a destructured array iterates: read it by index',
  ObjectPattern: (place) => {
    const source =
      place.key === 'id' ? place.parent?.node.init : place.key === 'left' ? place.parent?.node.right : undefined;
    const names = place.node.properties.map((/** @type {Node} */ one) => one.key?.name ?? one.key?.value);
    for (const name of names) {
      const problem = memberProblem(source, name, place.scope);
      if (problem) return problem;
      if (METHODS.has(name) && !(source && isInternal(source, place.scope)))
        return `the method ${name}: capture it in primordials.js`;
    }
    return undefined;
  },
  ForOfStatement: () => 'for…of iterates: count an index',
  ForInStatement: () => 'for…in reads the prototypes: use objectKeys',
  YieldExpression: ({ node, scope }) => (node.delegate ? 'yield* iterates' : resolved(node.argument, scope)),
  ReturnStatement: ({ node, scope }) => scope.node.async && resolved(node.argument, scope),
  ArrowFunctionExpression: ({ node, scope }) =>
    node.async && node.body.type !== 'BlockStatement' && resolved(node.body, scope),
  AwaitExpression: ({ node: { argument } }) =>
    argument.name !== 'undefined' &&
    ![...OWNING, 'outcomeOf'].includes(calledName(argument.callee) ?? '') &&
    'await reads the constructor of a promise: await own(promise)',
  BinaryExpression: ({ node, scope }) => {
    if (node.operator === 'instanceof') return 'instanceof: use native.classOf, or a private member';
    if (node.operator !== 'in' || node.left.type === 'PrivateIdentifier') return undefined;
    return !isInternal(node.right, scope) && 'in reads the prototypes: use hasOwn';
  },
  AssignmentExpression: (place) => assigned(place),
};

/**
 * What is wrong with reading a member of a value.
 * @param {Node | undefined} source @param {string} name @param {Scope} scope @returns {Problem}
 */
function memberProblem(source, name, scope) {
  if (source !== undefined && source !== null && isInternal(source, scope)) return undefined;
  const from = callIn(source, scope);
  if (from === DESCRIPTOR_OF && /^(?:value|get|set|writable)$/.test(name) && !isTested(source, name, scope))
    return 'a member of a descriptor that may lack it: use ownValue, or a copy without a prototype';
  if (from === 'JSONParse')
    return 'a member of parsed JSON that may be missing: copy it to an object without a prototype';
  const made = source?.type === 'Identifier' ? initOf(source, scope) : undefined;
  if (made?.type === 'NewExpression' && isMember(classOf(made.callee, scope), name))
    return `${name}: guests can redefine it; use a function of the class`;
  if (name === 'prototype' && isParameter(source, scope) && !isTested(source, name, scope))
    return 'the prototype of a value that may have none of its own: use hasOwn';
  return ACCESSORS.has(name) && `the accessor ${name}: capture it in primordials.js`;
}

/**
 * Whether a value is a parameter; one that is called `Class` is a class.
 * @param {Node | undefined} source @param {Scope} scope
 */
const isParameter = (source, scope) =>
  source?.type === 'Identifier' &&
  source.name !== 'Class' &&
  /Function/.test(declarationOf(scope, source.name)?.node.type ?? '');

/**
 * Whether the function tests with `hasOwn` that a value has a member.
 * @param {Node | undefined} source @param {string} name @param {Scope} scope
 */
function isTested(source, name, scope) {
  const tests = (/** @type {Node} */ node) =>
    node.type === 'CallExpression' &&
    calledName(node.callee) === 'hasOwn' &&
    node.arguments[0]?.name === source?.name &&
    node.arguments[1]?.value === name;
  return source?.type === 'Identifier' && findNode(scope.node, tests) !== undefined;
}

/** `a[a.length]`. @param {Node} node */
const isAtEnd = ({ object, property, computed }) =>
  computed && object.name !== undefined && memberName(property) === 'length' && property.object.name === object.name;

/** @param {Node | null | undefined} value @param {Scope} scope @returns {Problem} */
function resolved(value, scope) {
  return !isHarmless(value, scope) && 'resolving a promise reads then of the value: use an object without a prototype';
}

/**
 * The class of the script that a name stands for.
 * @param {Node | undefined} node @param {Scope} scope @returns {Node | undefined}
 */
function classOf(node, scope) {
  const declared = node?.type === 'Identifier' ? declarationOf(scope, node.name)?.node : undefined;
  return declared?.type === 'ClassDeclaration' ? declared : undefined;
}

/** @param {Node | undefined} declared @param {string} name */
const isMember = (declared, name) =>
  declared?.body.body.some((/** @type {Node} */ one) => one.key?.type === 'Identifier' && one.key.name === name) ??
  false;

/** @param {Node | undefined} declared @returns {Node | undefined} */
const constructorOf = (declared) =>
  declared?.body.body.find((/** @type {Node} */ one) => one.kind === 'constructor')?.value;

/**
 * Without a constructor, a class passes all its arguments on to the class that it extends, which a guest can replace.
 * @param {Place} place @returns {Problem}
 */
function derivedClass({ node }) {
  return node.superClass && constructorOf(node) === undefined && 'a derived class without a constructor passes all on';
}

/**
 * Whether an object lacks a prototype, or never leaves its place: `{}` that compares, or the pattern `const { a } = { a() {} }`.
 */
function isPrivate(/** @type {Place} */ { node, parent }) {
  const isTakenApart = parent?.node.type === 'VariableDeclarator' && parent.node.id.type === 'ObjectPattern';
  return hasNoPrototype(node) || isTakenApart;
}

const isSuperCall = ({ type = '', callee = { type: '' } }) => type === 'CallExpression' && callee.type === 'Super';
const nameOfParameter = (/** @type {Node} */ one) => (one.left ?? one).name;

/** A guest can replace the class that a class extends, so that only parameters which the guest has passed may be passed on. */
function superArguments(/** @type {Place} */ { node, scope }) {
  const parameters = scope.node.params?.map(nameOfParameter) ?? [];
  const isPassedOn = ({ name = '' }) => parameters.includes(name) && !/key$/i.test(name);
  return !node.arguments.every(isPassedOn) && 'super with an internal value: guests can replace the extended class';
}

/**
 * What a script passes to a derived class of its own, and that class to the one that it extends.
 * @param {Place} place @returns {Problem}
 */
function newOfDerived({ node, scope }) {
  const declared = classOf(node.callee, scope);
  const made = declared?.superClass ? constructorOf(declared) : undefined;
  if (made === undefined) return undefined;
  const passedOn = findNode(made, isSuperCall)?.arguments.map((/** @type {Node} */ one) => one.name) ?? [];
  const isGuests = (/** @type {Node} */ value) =>
    value.type === 'Literal' ||
    value.name === 'undefined' ||
    scope.node.params?.map(nameOfParameter).includes(value.name);
  const isBad = node.arguments.some(
    (/** @type {Node} */ value, /** @type {number} */ at) =>
      made.params[at] !== undefined && passedOn.includes(nameOfParameter(made.params[at])) && !isGuests(value),
  );
  return isBad && 'an internal value that the class passes to super: guests can replace the extended class';
}

/** Assigning to a missing member calls a setter of the prototypes. @param {Place} place @returns {Problem} */
function assigned({ node: { left }, scope }) {
  const init = left.type === 'MemberExpression' ? initOf(left.object, scope) : undefined;
  const name = memberName(left);
  const isArray = init?.type === 'ArrayExpression' || (init && callIn(init, scope) === 'toArray');
  if (isArray) return name !== 'length' && 'an assignment to an element: use put, or a list';
  if (init?.type !== 'ObjectExpression' || hasNoPrototype(init)) return undefined;
  const isThere = init.properties.some((/** @type {Node} */ one) => name !== undefined && one.key?.name === name);
  return !isThere && 'an assignment to a missing member: use put, or an object without a prototype';
}

/** @param {string} text @param {number} start */
const lineOf = (text, start) => text.slice(0, start).split('\n').length;

/** @type {Rule[]} */
export const GUEST_SCRIPT_RULES = [
  {
    name: 'scripts of the realm use nothing that a guest can replace',
    check: ({ path, text }) => {
      const file = SCRIPT.exec(path)?.[1];
      if (file === undefined) return [];
      return placesOf(text).flatMap((place) => {
        const { type, start } = place.node;
        const problem = !isExempt(file, place) && CHECKS[type]?.(place);
        return problem ? [`line ${lineOf(text, start)}: ${problem}`] : [];
      });
    },
    broken: BROKEN_SCRIPTS,
    kept: KEPT_SCRIPTS,
  },
  {
    name: 'scripts of the realm hold only what the comment remover can read',
    check: ({ path, text }) => {
      if (!SCRIPT.test(path)) return [];
      const patterns = placesOf(text).filter(({ node }) => node.type === 'Literal' && 'regex' in node);
      const problems = patterns.map(({ node }) => `line ${lineOf(text, node.start)}: a regular expression`);
      return /[\r\u2028\u2029]/.test(text) ? [...problems, 'a line terminator other than \\n'] : problems;
    },
    broken: UNREADABLE_SCRIPTS,
    kept: KEPT_SCRIPTS,
  },
];
