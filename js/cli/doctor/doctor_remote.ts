/** Checks of the Git remote, for `tgp doctor`. */

import { TGPError } from '../../boundary/errors.js';
import { native } from '../../boundary/native.js';
import { unwrap } from '../../boundary/unwrap.js';
import type { ResolvedConfig } from '../../kernel/config/config.js';
import type { CheckContext } from './doctor_config.js';
import type { Finding } from './finding.js';
import { ok, problem, warning } from './finding.js';

const TOKENS = { github: 'TGP_GITHUB_TOKEN', gitlab: 'TGP_GITLAB_TOKEN', bitbucket: 'TGP_BITBUCKET_TOKEN' };

/**
 * Queries the remote as the kernel does. The `network` settings are validated without a remote too.
 * @returns null without a remote
 */
export async function askRemote({
  config,
  baseDir,
}: ResolvedConfig): Promise<{ branches: number; hasBranch: boolean } | null> {
  // The secrets of tools are not needed here.
  const { secrets: _, ...settings } = config;
  return unwrap(await native().askRemote(JSON.stringify(settings), baseDir));
}

/** Checks that the remote can be reached. */
export async function remote({ located, remoteAnswer }: CheckContext): Promise<Finding> {
  // The config check has reported the problem already.
  if (located === undefined || remoteAnswer === undefined) return ok('');
  const { provider = 'local', branch = 'main' } = located.resolved.config.git ?? {};
  try {
    const answer = await remoteAnswer;
    if (answer === null) return ok('none; tools stay on this machine');
    const { branches, hasBranch } = answer;
    if (hasBranch) return ok(`reachable, has the branch ${branch}`);
    if (branches === 0) return ok('reachable, empty');
    return warning(
      `reachable, has no branch ${branch}`,
      'The first write creates it, or set git.branch to another branch.',
    );
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    const token = provider === 'local' ? 'TGP_GIT_TOKEN' : TOKENS[provider];
    const proxy = error.message.includes('proxy')
      ? ' the proxy (network.proxy in the config, or HTTPS_PROXY in the environment),'
      : '';
    return problem(error.message, `Check git.repo in the config, the network,${proxy} and the token in ${token}.`);
  }
}
