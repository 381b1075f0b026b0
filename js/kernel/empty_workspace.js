import { unwrap } from '../boundary/errors.js';

/**
 * Warns in production about a workspace without tools and without a remote: most often its folder was not deployed.
 * @param {import('../boundary/typed_native.js').NativeKernel} kernel
 * @param {import('../../index.js').TGPConfig} config
 * @param {import('../../index.js').Logger} log
 * @returns {Promise<void>}
 */
export async function warnOfEmptyWorkspace(kernel, config, log) {
  if (process.env.NODE_ENV !== 'production' || config.git.repo !== undefined) return;
  if (unwrap(await kernel.listToolsPage(undefined, 1, 1)).tools.length > 0) return;
  log.warn(
    `The workspace "${config.rootDir}" has no tools and no Git remote (NODE_ENV is production). Deploy that folder with ` +
      'its .git, put it on a volume, or set a remote in git.repo; otherwise new tools are lost with the folder.',
  );
}
