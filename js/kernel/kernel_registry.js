import { ValidationError } from '../boundary/errors.js';
import { requireString, requireText } from '../boundary/validation.js';

/**
 * @typedef {import('../../index.js').ToolMetadata} ToolMetadata
 * @typedef {import('./listed_tools.js').ListedTools} ListedTools
 */

/**
 * `kernel.registry`: which tools there are.
 * @param {import('./kernel_calls.js').KernelCalls} calls
 * @param {import('../../index.js').VFSAdapter} files of the root
 * @param {import('./kernel_calls.js').Who | undefined} who owns the kernel
 * @param {ListedTools} listed
 * @returns {import('../../index.js').Registry}
 */
export function kernelRegistry(calls, files, who, listed) {
  return {
    hydrate: async () => {
      await calls.register((kernel) => kernel.hydrateRegistry());
    },
    register: async (/** @type {string} */ path, /** @type {string | undefined} */ code = undefined) => {
      requireText(path, 'path');
      if (code !== undefined) {
        requireString(code, 'code');
        calls.refuseWhenDown();
        // As the TypeScript package did: not every file that is written is a tool.
        if (!/^(?:\.\/)*tools[\\/]/.test(path)) return /** @type {any} */ (undefined);
        await place(files, path, code);
      }
      return calls.register((kernel) => kernel.registerTool(path));
    },
    list: () => {
      calls.refuseWhenDown();
      const { running } = calls;
      const known = running ? listed.now(running) : [];
      return calls.isLevel ? known : awaited(known, () => calls.read((kernel) => kernel.listTools()));
    },
    remember: () => calls.read((kernel) => kernel.readTexts()),
    sync: () =>
      calls.change((kernel, asker) => kernel.syncRegistry(asker), undefined, {
        tool: 'sync_registry',
        who,
        effect: 'write',
      }),
  };
}

/**
 * A tool that is not there yet is written; one that is stays: registering loses no text.
 * @param {import('../../index.js').VFSAdapter} files
 * @param {string} path
 * @param {string} code
 */
async function place(files, path, code) {
  if (!(await files.exists(path))) return files.writeFile(path, code);
  if ((await files.readFile(path)) === code) return;
  throw new ValidationError(
    `The file "${path}" holds another text than "code". Write it first, with write_file or vfs.writeFile, or leave "code" out.`,
    { details: { field: 'code', path } },
  );
}

/**
 * What is known for a caller that reads it at once, and what there is for one that awaits it.
 * @param {ToolMetadata[]} known
 * @param {() => Promise<ToolMetadata[]>} ask
 * @returns {ToolMetadata[]}
 */
function awaited(known, ask) {
  /** @type {Promise<ToolMetadata[]> | undefined} */
  let asked;
  const then = (/** @type {any} */ done, /** @type {any} */ failed) => {
    asked ??= ask();
    return asked.then(done, failed);
  };
  return Object.defineProperty(known, 'then', { value: then });
}
