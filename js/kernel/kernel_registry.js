import { ValidationError } from '../boundary/errors.js';
import { requireString, requireText } from '../boundary/validation.js';

/**
 * @typedef {import('../../index.js').ToolMetadata} ToolMetadata
 * @typedef {import('./tool_list_cache.js').ToolListCache} ToolListCache
 */

/**
 * Implements `kernel.registry`: the list of tools.
 * @param {import('./kernel_calls.js').KernelCalls} calls
 * @param {import('../../index.js').VFSAdapter} files of the root
 * @param {import('./kernel_calls.js').Caller | undefined} caller owns the kernel
 * @param {ToolListCache} listed
 * @returns {import('../../index.js').Registry}
 */
export function kernelRegistry(calls, files, caller, listed) {
  return {
    hydrate: async () => {
      await calls.register((kernel) => kernel.hydrateRegistry());
    },
    register: async (/** @type {string} */ path, /** @type {string | undefined} */ code = undefined) => {
      requireText(path, 'path');
      if (code !== undefined) {
        requireString(code, 'code');
        calls.refuseWhenDown();
        // As in the TypeScript package: only files under tools/ are tools.
        if (!/^(?:\.\/)*tools[\\/]/.test(path)) return /** @type {any} */ (undefined);
        await writeIfMissing(files, path, code);
      }
      return calls.register((kernel) => kernel.registerTool(path));
    },
    list: () => {
      calls.refuseWhenDown();
      const { running } = calls;
      const cached = running ? listed.now(running) : [];
      return calls.isLevel ? cached : awaitable(cached, () => calls.read((kernel) => kernel.listTools()));
    },
    remember: () => calls.read((kernel) => kernel.readTexts()),
    sync: () =>
      calls.change((kernel, callerText) => kernel.syncRegistry(callerText), undefined, {
        tool: 'sync_registry',
        caller,
      }),
  };
}

/**
 * Writes a tool that does not exist yet. An existing one is never overwritten.
 * @param {import('../../index.js').VFSAdapter} files
 * @param {string} path
 * @param {string} code
 */
async function writeIfMissing(files, path, code) {
  if (!(await files.exists(path))) return files.writeFile(path, code);
  if ((await files.readFile(path)) === code) return;
  throw new ValidationError(
    `The file "${path}" exists with other content than "code". Write it first with write_file or vfs.writeFile, or omit "code".`,
    { details: { field: 'code', path } },
  );
}

/**
 * A cached list that is also a thenable: awaiting it loads the current list.
 * @param {ToolMetadata[]} cached
 * @param {() => Promise<ToolMetadata[]>} load
 * @returns {ToolMetadata[]}
 */
function awaitable(cached, load) {
  /** @type {Promise<ToolMetadata[]> | undefined} */
  let loaded;
  const then = (/** @type {any} */ done, /** @type {any} */ failed) => {
    loaded ??= load();
    return loaded.then(done, failed);
  };
  return Object.defineProperty(cached, 'then', { value: then });
}
