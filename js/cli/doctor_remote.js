import { ConfigError, TGPError, unwrap } from '../boundary/errors.js';
import { native } from '../boundary/native.js';
import { nearestConfig } from './config_lookup.js';
import { ok, problem, warning } from './finding.js';

const TOKENS = { github: 'TGP_GITHUB_TOKEN', gitlab: 'TGP_GITLAB_TOKEN', bitbucket: 'TGP_BITBUCKET_TOKEN' };

/**
 * Whether the remote answers, asked as the kernel asks it. The way out, `network`, is looked at without a remote too.
 * @param {{ config?: string }} options
 * @returns {Promise<import('./finding.js').Finding>}
 */
export async function remote(options) {
  const { config, baseDir } = await nearestConfig(options);
  // Secrets are for tools: those of the environment may not be set where somebody only looks.
  const { secrets: _, ...asked } = config;
  const { provider = 'local', branch = 'main' } = config.git ?? {};
  try {
    const answer = unwrap(await native().askRemote(JSON.stringify(asked), baseDir));
    if (answer === null) return ok('none, tools stay on this machine');
    const { branches, hasBranch } = answer;
    if (hasBranch) return ok(`answers, has the branch ${branch}`);
    if (branches === 0) return ok('answers, is empty');
    return warning(`answers, has no branch ${branch}`, 'The first write makes it; or name another one as git.branch.');
  } catch (error) {
    // A wrong configuration says itself what to change.
    if (!(error instanceof TGPError) || error instanceof ConfigError) throw error;
    const token = provider === 'local' ? 'TGP_GIT_TOKEN' : TOKENS[provider];
    const proxy = error.message.includes('proxy')
      ? ' the proxy (network.proxy in the config, or HTTPS_PROXY in the environment),'
      : '';
    return problem(error.message, `Check git.repo in the config, the network,${proxy} and the token in ${token}.`);
  }
}
