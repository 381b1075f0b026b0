/** Shim of `node:stream/web`: the sandbox's web streams. */

const NAMES = ['ReadableStream', 'WritableStream', 'TransformStream', 'CompressionStream', 'DecompressionStream'];

module.exports = Object.fromEntries(NAMES.map((name) => [name, globalThis[name]]));
