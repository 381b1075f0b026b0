/**
 * Resolves Node built-ins in bundles to shims: working ones (`dist/node_shims/`, made by the build), or ones that throw when used.
 */

import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';

export const SHIMS = join(PACKAGE_FOLDER, 'dist', 'node_shims');
/** Prefix of virtual modules for built-ins without a shim. */
const ABSENT = '\0tgp:absent:';
/** Aliases of built-ins. */
const ALIASES = { sys: 'util', 'path/win32': 'path' };
/** Constant members that packages read while loading. */
const FACTS = new Set(['constants', 'STATUS_CODES', 'METHODS', 'codes', 'isMainThread', 'threadId']);
const REFUSING = join(SHIMS, 'refusing.cjs');

/** @param {string} part as in `node:fs/promises`, with or without the scheme */
const bare = (part) => part.replace(/^node:/, '');

/** @param {string} name */
const shimFile = (name) => join(SHIMS, `${name.replaceAll('/', '_')}.cjs`);

/** Node globals and the shims that provide them. */
export const NODE_GLOBALS = {
  process: shimFile('process'),
  Buffer: exportOf('buffer', 'Buffer'),
  setImmediate: exportOf('timers', 'setImmediate'),
  clearImmediate: exportOf('timers', 'clearImmediate'),
};

/** @param {string} shim @param {string} name @returns {[file: string, name: string]} */
export function exportOf(shim, name) {
  return [shimFile(shim), name];
}

/**
 * Whether a built-in has a working shim. Packages may import others, but tools may not.
 * @param {string} part
 */
export const isSupported = (part) => !standIn(part).startsWith(ABSENT);

/**
 * Resolves built-ins to shims, unless the package has its own replacement (`browser` in package.json).
 * @returns {import('rolldown').Plugin}
 */
export const nodeParts = () => ({
  name: 'tgp:node-parts',
  async resolveId(id, importer, { kind }) {
    if (!isBuiltin(id)) return null;
    const found = importer === undefined ? null : await this.resolve(id, importer, { kind, skipSelf: true });
    // An npm package with the name of a built-in is never used in Node, so it is not used here.
    return found && !found.id.includes(`node_modules/${bare(id)}/`) ? found : standIn(id);
  },
  load(id) {
    return id.startsWith(ABSENT) ? absentPart(id.slice(ABSENT.length)) : null;
  },
});

/** @param {string} part @returns {string} the id of its shim */
function standIn(part) {
  const name = bare(part);
  const file = shimFile(ALIASES[/** @type {keyof typeof ALIASES} */ (name)] ?? name);
  return existsSync(file) ? file : `${ABSENT}${name}`;
}

/** @param {string} name @returns {string} the source of a module that throws when used */
function absentPart(name) {
  const members = JSON.stringify(membersOf(createRequire(import.meta.url)(`node:${name}`)));
  return `module.exports = require(${JSON.stringify(REFUSING)}).refusingModule(${JSON.stringify(name)}, ${members});`;
}

/**
 * The members of a built-in: functions, nested functions, and constants. Nothing else, so no information about this machine.
 * @param {Record<string, any>} module
 * @returns {Record<string, any>}
 */
function membersOf(module) {
  const names = Object.keys(module).filter((name) => !name.startsWith('_') && name !== 'default');
  const described = names.map((name) => [name, memberOf(name, module[name])]);
  return Object.fromEntries(described.filter(([, member]) => member !== undefined));
}

/** @param {string} name @param {any} value */
function memberOf(name, value) {
  if (typeof value === 'function') return true;
  if (FACTS.has(name)) return value;
  return name === 'promises' ? { functions: membersOf(value) } : undefined;
}
