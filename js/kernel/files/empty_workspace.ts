/** The warning about a workspace that was not deployed. */

import type { NativeKernel } from '../../boundary/typed_native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type { TGPConfig } from '../../types/config.js';
import type { Logger } from '../../types/kernel.js';

/** Warns in production about a workspace without tools and without a remote: most often its folder was not deployed. */
export async function warnOfEmptyWorkspace(kernel: NativeKernel, config: TGPConfig, log: Logger): Promise<void> {
  if (process.env.NODE_ENV !== 'production' || config.git.repo !== undefined) return;
  if (unwrap(await kernel.listToolsPage(undefined, 1, 1)).tools.length > 0) return;
  log.warn(
    `The workspace "${config.rootDir}" has no tools and no Git remote (NODE_ENV is production). Deploy that folder with ` +
      'its .git, put it on a volume, or set a remote in git.repo; otherwise new tools are lost with the folder.',
  );
}
