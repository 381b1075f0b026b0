/**
 * What a bundle gets where a package asks for a part of Node: a stand-in that works in the sandbox (`dist/node_shims/`, made by
 * the build), or one that refuses when it is used.
 */

import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';

export const SHIMS = join(PACKAGE_FOLDER, 'dist', 'node_shims');
/** Marks modules that are in no file. */
const ABSENT = '\0tgp:absent:';
/** Parts that are another under an old or longer name. */
const ALIASES = { sys: 'util', 'path/win32': 'path' };
/** Facts that are the same everywhere and that packages read while they are loaded. */
const FACTS = new Set(['constants', 'STATUS_CODES', 'METHODS', 'codes', 'isMainThread', 'threadId']);
const REFUSING = join(SHIMS, 'refusing.cjs');

/** @param {string} part as in `node:fs/promises`, with or without the scheme */
const bare = (part) => part.replace(/^node:/, '');

/** @param {string} name */
const shimFile = (name) => join(SHIMS, `${name.replaceAll('/', '_')}.cjs`);

/** Names that are defined everywhere in Node, and where a bundle takes them from. */
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
 * Whether there is a stand-in that works. A package may ask for others; as a package of their own they would be of no use.
 * @param {string} part
 */
export const isSupported = (part) => !standIn(part).startsWith(ABSENT);

/**
 * Gives packages their parts of Node, where they do not name a replacement themselves (`browser` of package.json).
 * @returns {import('rolldown').Plugin}
 */
export const nodeParts = () => ({
  name: 'tgp:node-parts',
  async resolveId(id, importer, { kind }) {
    if (!isBuiltin(id)) return null;
    const found = importer === undefined ? null : await this.resolve(id, importer, { kind, skipSelf: true });
    // A package of the same name is what others take in Node's place; in Node itself it is never found.
    return found && !found.id.includes(`node_modules/${bare(id)}/`) ? found : standIn(id);
  },
  load(id) {
    return id.startsWith(ABSENT) ? absentPart(id.slice(ABSENT.length)) : null;
  },
});

/** @param {string} part @returns {string} the module that stands for it */
function standIn(part) {
  const name = bare(part);
  const file = shimFile(ALIASES[/** @type {keyof typeof ALIASES} */ (name)] ?? name);
  return existsSync(file) ? file : `${ABSENT}${name}`;
}

/** @param {string} name @returns {string} the text of a module that refuses */
function absentPart(name) {
  const members = JSON.stringify(membersOf(createRequire(import.meta.url)(`node:${name}`)));
  return `module.exports = require(${JSON.stringify(REFUSING)}).refusingModule(${JSON.stringify(name)}, ${members});`;
}

/**
 * What a module of Node has, by name: functions, groups of functions, and facts. Nothing else of it, and so nothing of this
 * machine.
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
