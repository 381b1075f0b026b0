import { readNextConfig } from '../init/next_config.js';
import { inspectProject } from '../init/project.js';
import type { Finding } from './finding.js';

const REMEDY = 'Run "tgp init", or wrap the config: export default withTGP(config), from @tgp/core/next.';

/** Checks that a Next.js config uses withTGP; undefined for other applications. */
export async function examineNextConfig(folder: string): Promise<Finding | undefined> {
  const { framework } = await inspectProject(folder);
  if (framework !== 'next') return undefined;
  const { file, state } = await readNextConfig(folder);
  if (state === 'withTGP') return { status: 'ok', detail: `${file} uses withTGP` };
  if (state === 'named') {
    const detail = `${file} names @tgp/core but does not use withTGP, so the output may lack the worker executable`;
    return { status: 'warning', detail, remedy: REMEDY };
  }
  return { status: 'problem', detail: 'the build would try to bundle the native addon', remedy: REMEDY };
}
