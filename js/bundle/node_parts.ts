/**
 * Resolves Node built-ins in bundles to shims: working ones (`dist/node_shims/`, made by the build), or ones that throw when used.
 */

import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { isRecord } from '../boundary/foreign_json.js';
import { PACKAGE_FOLDER } from '../package_folder.js';

/** The folder of the shims of Node built-ins. */
export const SHIMS = join(PACKAGE_FOLDER, 'dist', 'node_shims');
/** Prefix of virtual modules for built-ins without a shim. */
const ABSENT = '\0tgp:absent:';
/** Prefix of the id of a module that package.json replaces by `false`. */
const EMPTY = '\0rolldown/empty.js';
/** Aliases of built-ins. */
const ALIASES = { sys: 'util' };
/** Constant members that packages read while loading. */
const FACTS = new Set(['constants', 'STATUS_CODES', 'METHODS', 'codes', 'isMainThread', 'threadId']);
const REFUSING = join(SHIMS, 'refusing.cjs');

/** @param part as in `node:fs/promises`, with or without the scheme */
const bare = (part: string) => part.replace(/^node:/, '');

const shimFile = (name: string) => join(SHIMS, `${name.replaceAll('/', '_')}.cjs`);

/** Node globals and the shims that provide them. */
export const NODE_GLOBALS = {
  process: shimFile('process'),
  Buffer: exportOf('buffer', 'Buffer'),
  setImmediate: exportOf('timers', 'setImmediate'),
  clearImmediate: exportOf('timers', 'clearImmediate'),
};

/** Where a shim exports a name. */
export function exportOf(shim: string, name: string): [file: string, name: string] {
  return [shimFile(shim), name];
}

/** Whether a package leaves out streams for browsers (`browser: { stream: false }`), which it does because of their size. */
const isLeftOut = (id: string, found: string) => bare(id) === 'stream' && found.startsWith(EMPTY);

/** Whether a built-in has a working shim. Packages may import others, but tools may not. */
export const isSupported = (part: string) => !standIn(part).startsWith(ABSENT);

/** Resolves built-ins to shims, unless the package has its own replacement (`browser` in package.json). */
export const nodeParts = (): Plugin => ({
  name: 'tgp:node-parts',
  async resolveId(id, importer, { kind }) {
    if (!isBuiltin(id)) return null;
    const found = importer === undefined ? null : await this.resolve(id, importer, { kind, skipSelf: true });
    if (found === null || isLeftOut(id, found.id)) return standIn(id);
    // An npm package with the name of a built-in is never used in Node, so it is not used here.
    return found.id.includes(`node_modules/${bare(id)}/`) ? standIn(id) : found;
  },
  load(id) {
    return id.startsWith(ABSENT) ? absentPart(id.slice(ABSENT.length)) : null;
  },
});

/** @returns the id of its shim */
function standIn(part: string): string {
  const name = bare(part);
  const file = shimFile(ALIASES[name as keyof typeof ALIASES] ?? name);
  return existsSync(file) ? file : `${ABSENT}${name}`;
}

/** @returns the source of a module that throws when used */
function absentPart(name: string): string {
  const members = JSON.stringify(membersOf(createRequire(import.meta.url)(`node:${name}`)));
  return `module.exports = require(${JSON.stringify(REFUSING)}).refusingModule(${JSON.stringify(name)}, ${members});`;
}

/**
 * The members of a built-in: functions, nested functions, and constants. Nothing else, so no information about this machine.
 */
function membersOf(module: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(module).filter((name) => !name.startsWith('_') && name !== 'default');
  const described = names.map((name) => [name, memberOf(name, module[name])]);
  return Object.fromEntries(described.filter(([, member]) => member !== undefined));
}

function memberOf(name: string, value: unknown) {
  if (typeof value === 'function') return true;
  if (FACTS.has(name)) return value;
  return name === 'promises' && isRecord(value) ? { functions: membersOf(value) } : undefined;
}
