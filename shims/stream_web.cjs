/** The sandbox's own, where it has them. */

const NAMES = ['ReadableStream', 'WritableStream', 'TransformStream', 'CompressionStream', 'DecompressionStream'];

module.exports = Object.fromEntries(NAMES.map((name) => [name, globalThis[name]]));
