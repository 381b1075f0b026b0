/** The native file adapters: on disk and in memory. */

import { resolve } from 'node:path';
import { unwrap } from '../boundary/errors.js';
import { native } from '../boundary/native.js';
import { requireString, requireText } from '../boundary/validation.js';

/** @typedef {import('../../index.js').VFSAdapter} VFSAdapter */

/** Property with the folder of an on-disk adapter, which a kernel uses directly. */
const ROOT = Symbol.for('@tgp/core/vfs-root');

/**
 * The folder of an adapter from {@link createNodeVFS}.
 * @param {VFSAdapter} vfs
 * @returns {string | undefined}
 */
export function rootOf(vfs) {
  return /** @type {any} */ (vfs)[ROOT];
}

/** @type {typeof import('../../index.js').createNodeVFS} */
export function createNodeVFS(rootDir) {
  requireText(rootDir, 'rootDir');
  const root = resolve(rootDir);
  return Object.defineProperty(adapter(open(root)), ROOT, { value: root });
}

/** @type {typeof import('../../index.js').createMemoryVFS} */
export function createMemoryVFS(initialFiles = {}) {
  const files = open(undefined);
  for (const [path, content] of Object.entries(initialFiles ?? {})) {
    requireString(content, path);
    unwrap(files().write(path, content));
  }
  return adapter(files);
}

/**
 * Opens the native files on first use, so that creating an adapter does not load the addon.
 * @param {string | undefined} root in memory when undefined
 */
function open(root) {
  /** @type {import('../boundary/typed_native.js').NativeVfs | undefined} */
  let opened;
  return () => {
    opened ??= new (native().BindingVfs)(root);
    return opened;
  };
}

/**
 * @param {ReturnType<typeof open>} files
 * @returns {VFSAdapter}
 */
function adapter(files) {
  /** @param {string} path */
  const readSync = (path) => {
    requireText(path, 'path');
    return unwrap(files().read(path));
  };
  return {
    readSync,
    readFile: async (path) => readSync(path),
    writeFile: async (path, content) => {
      requireText(path, 'path');
      requireString(content, 'content');
      unwrap(files().write(path, content));
    },
    remove: async (path) => {
      requireText(path, 'path');
      unwrap(files().remove(path));
    },
    exists: async (path) => {
      requireText(path, 'path');
      return unwrap(files().exists(path));
    },
    listFiles: async (dir, recursive = false) => {
      requireString(dir, 'dir');
      const folder = dir.replace(/^(?:\.\/)+|(?<=.)\/+$/g, '').replace(/^\.$/, '');
      const paths = unwrap(files().list(folder));
      const start = folder === '' ? 0 : folder.length + 1;
      return recursive ? paths : paths.filter((path) => !path.slice(start).includes('/'));
    },
  };
}
