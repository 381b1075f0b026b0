/** The native file adapters: on disk and in memory. */

import { resolve } from 'node:path';
import { native } from '../boundary/native.js';
import type { NativeVfs } from '../boundary/typed_native.js';
import { unwrap } from '../boundary/unwrap.js';
import { MAX_FILE_CHARS, requireString, requireText } from '../boundary/validation.js';
import type { VFSAdapter } from '../types/files.js';

/** Property with the folder of an on-disk adapter, which a kernel uses directly. */
const ROOT = Symbol.for('@tgp/core/vfs-root');

/** Folder of the root for results that are too long to show. The native part excludes it from Git and from searches. */
export const RESULT_FOLDER = '.results';

type RootedVfs = VFSAdapter & { readonly [ROOT]?: string };

/** The folder of an adapter from {@link createNodeVFS}. @internal */
export function rootOf(vfs: RootedVfs): string | undefined {
  return vfs[ROOT];
}

/**
 * Files on disk below `rootDir`. Paths, symlinks and races cannot leave it. A write is atomic and durable. A path that would
 * leave the root, or that belongs to `.git`, is a {@link SecurityViolation}.
 */
export function createNodeVFS(rootDir: string): VFSAdapter {
  requireText(rootDir, 'rootDir');
  const root = resolve(rootDir);
  return Object.defineProperty(adapter(open(root)), ROOT, { value: root });
}

/** Files in memory, with the same behaviour as those on disk. */
export function createMemoryVFS(initialFiles: Record<string, string> = {}): VFSAdapter {
  const files = open(undefined);
  for (const [path, content] of Object.entries(initialFiles ?? {})) {
    requireString(content, path);
    unwrap(files().write(path, content));
  }
  return adapter(files);
}

/**
 * Opens the native files on first use, so that creating an adapter does not load the addon.
 * @param root in memory when undefined
 */
function open(root: string | undefined) {
  let opened: NativeVfs | undefined;
  return () => {
    opened ??= new (native().BindingVfs)(root);
    return opened;
  };
}

function adapter(files: ReturnType<typeof open>): VFSAdapter {
  const readSync = (path: string) => {
    requireText(path, 'path');
    return unwrap(files().read(path));
  };
  return {
    readSync,
    readFile: async (path) => readSync(path),
    writeFile: async (path, content) => {
      requireText(path, 'path');
      requireString(content, 'content', MAX_FILE_CHARS);
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
