/** Checks the arguments of methods that read and write numbers, as Node does; the package `buffer` wraps around instead. */

const { invalidType, needType, nodeError, outOfRange } = require('tgp:node_error');

const METHOD = /^(read|write)(Big)?(U?)(?:[iI]nt|Float|Double)(\d*)(?:LE|BE)?$/;
const BITS = 8;
const MAX_BYTES = 6;

function checkPlace(buffer, offset, bytes) {
  const last = buffer.length - bytes;
  if (Number.isInteger(offset) && offset >= 0 && offset <= last) return;
  needType('offset', 'number', offset);
  if (!Number.isInteger(offset)) throw outOfRange('offset', 'an integer', offset);
  if (last < 0) {
    throw nodeError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  }
  throw outOfRange('offset', `>= 0 and <= ${last}`, offset);
}

function checkBytes(bytes) {
  if (typeof bytes !== 'number') throw invalidType('byteLength', ['number'], bytes);
  if (!Number.isInteger(bytes)) throw outOfRange('byteLength', 'an integer', bytes);
  if (bytes < 1 || bytes > MAX_BYTES) throw outOfRange('byteLength', `>= 1 and <= ${MAX_BYTES}`, bytes);
}

/** @param {number} bytes @param {boolean} isUnsigned @param {boolean} isBig */
function checkValue(value, bytes, isUnsigned, isBig) {
  const bits = bytes * BITS - (isUnsigned ? 0 : 1);
  const end = isBig ? 2n ** BigInt(bits) : 2 ** bits;
  const start = isUnsigned ? 0 : -end;
  if (!(value < start || value >= end)) return;
  const mark = isBig ? 'n' : '';
  const power = `2${mark} ** ${bits}${mark}`;
  const least = isUnsigned ? `0${mark}` : `-(${power})`;
  const range = bytes > 4 ? `>= ${least} and < ${power}` : `>= ${start} and <= ${end - 1}`;
  throw outOfRange('value', range, value);
}

/** @param {object} prototype of `Buffer` */
function checkNumbers(prototype) {
  for (const name of Object.keys(prototype)) {
    const [, kind, big, unsigned, bits] = METHOD.exec(name) ?? [];
    if (kind === undefined) continue;
    const method = prototype[name];
    const isFloat = /Float|Double/.test(name);
    const fixed = bits ? Number(bits) / BITS : isFloat ? (name.includes('Float') ? 4 : 8) : undefined;
    prototype[name] =
      kind === 'read'
        ? function read(offset = fixed === undefined ? undefined : 0, bytes = undefined) {
            if (fixed === undefined) checkBytes(bytes);
            checkPlace(this, offset, fixed ?? bytes);
            return method.call(this, offset, bytes, true);
          }
        : function write(value, offset = fixed === undefined ? undefined : 0, bytes = undefined) {
            const size = fixed ?? bytes;
            if (fixed === undefined) checkBytes(bytes);
            if (!isFloat) checkValue(value, size, unsigned === 'U', big !== undefined);
            checkPlace(this, offset, size);
            return fixed === undefined
              ? method.call(this, value, offset, bytes, true)
              : method.call(this, value, offset, true);
          };
    Object.defineProperty(prototype[name], 'name', { value: name, configurable: true });
    prototype[name.replace('UInt', 'Uint')] ??= prototype[name];
  }
}

module.exports = { checkNumbers };
