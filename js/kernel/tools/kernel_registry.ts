/** The registry API of a kernel. */

import type { Caller } from '../../boundary/caller.js';
import { ValidationError } from '../../boundary/errors.js';
import { MAX_FILE_CHARS, requireString, requireText } from '../../boundary/validation.js';
import type { VFSAdapter } from '../../types/files.js';
import type { Registry, ToolMetadata } from '../../types/kernel.js';
import type { KernelCalls } from '../calls/kernel_calls.js';
import type { ToolListCache } from './tool_list_cache.js';

/**
 * Implements `kernel.registry`: the list of tools.
 * @param files of the root
 * @param caller owns the kernel
 */
export function kernelRegistry(
  calls: KernelCalls,
  files: VFSAdapter,
  caller: Caller | undefined,
  listed: ToolListCache,
): Registry {
  async function register(path: string): Promise<ToolMetadata>;
  async function register(path: string, code: string): Promise<ToolMetadata | undefined>;
  async function register(path: string, code?: string): Promise<ToolMetadata | undefined> {
    requireText(path, 'path');
    if (code !== undefined) {
      requireString(code, 'code', MAX_FILE_CHARS);
      calls.refuseWhenDown();
      // As in the TypeScript package: only files under tools/ are tools.
      if (!/^(?:\.\/)*tools[\\/]/.test(path)) return undefined;
      await writeIfMissing(files, path, code);
    }
    return calls.register((kernel) => kernel.registerTool(path));
  }
  return {
    hydrate: async () => {
      await calls.register((kernel) => kernel.hydrateRegistry());
    },
    register,
    list: () => {
      calls.refuseWhenDown();
      const { running } = calls;
      const cached = running ? listed.now(running) : [];
      return calls.hasCurrentFiles ? cached : awaitable(cached, () => calls.read((kernel) => kernel.listTools()));
    },
    remember: () => calls.read((kernel) => kernel.readTexts()),
    sync: () =>
      calls.change((kernel, callerText) => kernel.syncRegistry(callerText), undefined, {
        tool: 'sync_registry',
        caller,
      }),
  };
}

/** Writes a tool that does not exist yet. An existing one is never overwritten. */
async function writeIfMissing(files: VFSAdapter, path: string, code: string) {
  if (!(await files.exists(path))) return files.writeFile(path, code);
  if ((await files.readFile(path)) === code) return;
  throw new ValidationError(
    `The file "${path}" exists with other content than "code". Write it first with write_file or vfs.writeFile, or omit "code".`,
    { details: { field: 'code', path } },
  );
}

/** A cached list that is also a thenable: awaiting it loads the current list. */
function awaitable(cached: ToolMetadata[], load: () => Promise<ToolMetadata[]>): ToolMetadata[] {
  let loaded: Promise<ToolMetadata[]> | undefined;
  const then: Promise<ToolMetadata[]>['then'] = (done, failed) => {
    loaded ??= load();
    return loaded.then(done, failed);
  };
  return Object.defineProperty(cached, 'then', { value: then });
}
