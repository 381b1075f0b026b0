/** Shim of `node:zlib`: compression by the sandbox's engine. Memory and time of a run bound it, piece by piece. */

const { Buffer } = require('tgp:buffer');
const { invalidType, needType, outOfRange } = require('tgp:node_error');
const { refusingModule } = require('tgp:refusing');
const constants = require('tgp:zlib_constants');
const { KINDS, process, settingsOf } = require('tgp:zlib_engine');
const part = require('tgp:engine');

const RETURN_CODES = 'OK STREAM_END NEED_DICT ERRNO STREAM_ERROR DATA_ERROR MEM_ERROR BUF_ERROR VERSION_ERROR'
  .split(' ')
  .map((name) => `Z_${name}`);
const REFUSED = ['ZstdCompress', 'ZstdDecompress'];

/** Text or any bytes as a `Uint8Array`. */
function bytesOf(data, name, types) {
  if (typeof data === 'string') return Buffer.from(data);
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer && types.includes('ArrayBuffer')) return Buffer.from(data);
  throw invalidType(name, types, data);
}

const INPUTS = ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'];

/** The synchronous function of a class, and the one with a callback. */
function functionsOf(name) {
  const lower = `${name[0].toLowerCase()}${name.slice(1)}`;
  const sync = (data, options) => {
    const settings = settingsOf(name, options);
    const input = bytesOf(data, 'buffer', INPUTS);
    const buffer = process(settings, input);
    return options?.info ? { buffer, engine: new (require('tgp:zlib_streams')[name])(options) } : buffer;
  };
  const later = (data, options, callback) => {
    const done = typeof options === 'function' ? options : callback;
    needType('callback', 'function', done);
    const chosen = typeof options === 'function' ? undefined : options;
    settingsOf(name, chosen);
    const input = bytesOf(data, 'buffer', INPUTS);
    queueMicrotask(() => {
      let outcome;
      try {
        outcome = [null, sync(input, chosen)];
      } catch (error) {
        outcome = [error];
      }
      done(...outcome);
    });
  };
  return { [lower]: later, [`${lower}Sync`]: sync };
}

function crc32(data, value = 0) {
  if (typeof data !== 'string' && !ArrayBuffer.isView(data)) throw invalidType('data', INPUTS.slice(0, -1), data);
  needType('value', 'number', value);
  if (!Number.isInteger(value)) throw outOfRange('value', 'an integer', value);
  if (value < 0 || value > 0xffffffff) throw outOfRange('value', '>= 0 && <= 4294967295', value);
  return part('zlib').crc32(bytesOf(data, 'data', INPUTS), value);
}

const names = Object.keys(KINDS);
const refused = REFUSED.flatMap((name) => {
  const lower = `${name[0].toLowerCase()}${name.slice(1)}`;
  return [name, lower, `${lower}Sync`, `create${name}`];
});

module.exports = {
  ...refusingModule('zlib', Object.fromEntries(refused.map((name) => [name, true]))),
  crc32,
  ...Object.assign({}, ...names.map(functionsOf)),
  constants,
  codes: Object.fromEntries([
    ...RETURN_CODES.map((name) => [name, constants[name]]),
    ...RETURN_CODES.map((name) => [constants[name], name]),
  ]),
};
for (const name of names) {
  // The classes are loaded when one of them is used first.
  const get = () => require('tgp:zlib_streams')[name];
  Object.defineProperty(module.exports, name, { get, enumerable: true, configurable: true });
  module.exports[`create${name}`] = (options) => new (get())(options);
}
for (const [name, value] of Object.entries(constants)) {
  if (name.startsWith('BROTLI') || name.startsWith('ZSTD')) continue;
  Object.defineProperty(module.exports, name, { value });
}
