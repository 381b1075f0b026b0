/** What the stand-ins need of the sandbox's engine. Each kind is loaded when it is first used. */

const PARTS = Symbol.for('tgp.node');
const { console: host } = globalThis;
const loaded = {};

/** @param {'inspect' | 'classes' | 'contexts' | 'zlib' | 'crypto'} kind */
module.exports = (kind) => {
  loaded[kind] ??= host[PARTS](kind);
  return loaded[kind];
};
