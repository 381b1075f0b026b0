/** Where guest scripts may do what the rule refuses: before the guest runs, and with values of the guest. */

import { readFileSync } from 'node:fs';
import { findNode, memberName } from './guest_values.js';

/**
 * @typedef {import('./guest_syntax.js').Place} Place
 * @typedef {import('./guest_syntax.js').Scope} Scope
 */

/**
 * The scripts that run before the guest, when all built-ins are still V8's, and `clock.js`, which `start` builds before it or not at
 * all.
 */
const BEFORE_GUEST = [
  ...readFileSync(new URL('../../crates/sandbox/src/engine/isolate/bootstrap_scripts.rs', import.meta.url), 'utf8')
    .replace(/pub const LAZY:[^;]*;.*?^\];/ms, '')
    .matchAll(/include_str!\("bootstrap\/(\w+\.js)"\)/g),
].map(([, file]) => String(file));
BEFORE_GUEST.push('clock.js');

/**
 * Functions in those scripts that run before the guest, too: what only the scripts' bodies call, or `start` before it loads the tool.
 * @type {Record<string, string[]>}
 */
const CALLED_BEFORE_GUEST = {
  'withheld.js': ['empty'],
  'primordials.js': ['getter'],
  'tgp.js': ['offer'],
  'start.js': ['start'],
  'clock.js': ['seedChance', 'startClock'],
};

/**
 * Functions that use a guest's value as the standard requires, by the kind of node that may do so: what the guest has replaced gets
 * only the guest's own values.
 * @type {Record<string, Record<string, string[]>>}
 */
const OF_THE_GUEST = {
  ForOfStatement: {
    'abort.js': ['any'],
    'blob.js': ['collect'],
    'pair_iterator.js': ['eachPair'],
    'algorithms.js': ['usagesOf'],
    'key_import.js': ['checkJwk'],
    'transfer.js': ['objectsOf'],
  },
  // The iterator of `ReadableStream.from`.
  AwaitExpression: { 'readable_stream.js': ['pull', 'stopped'] },
  // Promises for guests: what they are resolved with is the guest's.
  ReturnStatement: {
    'fetch.js': ['fetch'],
    'blob.js': ['arrayBuffer', 'bytes'],
    'readable_chunks.js': ['next', 'return'],
    'body.js': ['json', 'arrayBuffer', 'bytes', 'blob', 'formData'],
    'subtle_crypto.js': [
      ...['digest', 'importKey', 'exportKey', 'generateKey', 'sign', 'encrypt', 'decrypt'],
      ...['deriveBits', 'deriveKey', 'wrapKey', 'unwrapKey'],
    ],
  },
  ArrowFunctionExpression: { 'promises.js': ['wrapped', 'valueOf'] },
  CallExpression: { 'host.js': ['settle'], 'promises.js': ['settled'] },
  ObjectPattern: { 'readable_stream.js': ['fromIterable'] },
  NewExpression: {
    'byte_queue.js': ['bytesAt', 'allocate'],
    'clone.js': ['copyLeaf'],
    'encoding.js': ['bytesOf'],
    'inspect_entries.js': ['bufferParts'],
    'plain.js': ['plainBytes'],
  },
  BinaryExpression: { 'dom_exception.js': ['constructor'], 'headers.js': ['show'], 'lazy.js': ['provide'] },
  // The option of `ArrayBuffer`, and `ByteLengthQueuingStrategy`.
  MemberExpression: {
    'buffers.js': ['ArrayBuffer'],
    'headers.js': ['drop'],
    'primordials.js': ['tag'],
    'transform_stream.js': ['size'],
  },
  // Objects that guests get. The scripts read no member of them that may be missing.
  ObjectExpression: {
    'byte_stream.js': ['newResult'],
    'clone.js': ['copyObject'],
    'console.js': ['consoleFunctions'],
    'encoding.js': ['encodeInto'],
    'inspect_format.js': ['optionsOf'],
    'modules.js': ['load'],
    'node_parts.js': ['newNodeParts'],
    'pair_iterator.js': ['next'],
    'performance.js': ['toJSON'],
    'readable_chunks.js': ['newResult'],
    'readable_stream.js': ['newResult'],
    'key_import.js': ['hmacKey', 'facts'],
    'subtle_crypto.js': ['exportAny', 'generateKey'],
    'suite_parts.js': ['jwk'],
    'aes_keys.js': ['aesKey'],
    'key_derivation.js': ['importKey'],
    'key_agreement.js': ['keyOf', 'generateKey'],
    'rsa_oaep.js': ['newRsaKeys'],
    'node_codec.js': ['openCodec'],
    'node_cipher.js': ['openCipher'],
  },
};

/**
 * Whether a position runs before the guest: in the body of a script of the snapshot, or in a function that is called before. `start`
 * goes on after it has loaded the tool.
 * @param {string} file @param {Place} place
 */
function isBeforeGuest(file, { node, scope }) {
  if (!BEFORE_GUEST.includes(file)) return false;
  const isBody = scopesOf(scope).filter((one) => one.node.type !== 'Program').length === 1;
  if (!isBody && !CALLED_BEFORE_GUEST[file]?.includes(scope.name)) return false;
  const load = findNode(scope.node, isLoad);
  return load === undefined || node.end <= load.end;
}
const isLoad = ({ type = '', callee = {} }) =>
  type === 'CallExpression' && memberName(/** @type {any} */ (callee)) === 'load';

/** The functions around a position. @param {Scope} scope @returns {Scope[]} */
function scopesOf(scope) {
  return scope.outer === undefined
    ? [scope]
    : scope.isBlock
      ? scopesOf(scope.outer)
      : [scope, ...scopesOf(scope.outer)];
}

/** Whether the rule does not hold at a position of a script. @param {string} file @param {Place} place */
export const isExempt = (file, place) =>
  OF_THE_GUEST[place.node.type]?.[file]?.includes(place.scope.name) === true || isBeforeGuest(file, place);
