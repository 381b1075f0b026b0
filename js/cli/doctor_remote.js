import { TGPError, unwrap } from '../boundary/errors.js';
import { native } from '../boundary/native.js';
import { ok, problem, warning } from './finding.js';

/** @typedef {import('./doctor_config.js').Patient} Patient */

const TOKENS = { github: 'TGP_GITHUB_TOKEN', gitlab: 'TGP_GITLAB_TOKEN', bitbucket: 'TGP_BITBUCKET_TOKEN' };

/**
 * Asks the remote as the kernel asks it. The way out, `network`, is looked at without a remote too.
 * @param {import('../kernel/config.js').ResolvedConfig} resolved
 * @returns {Promise<{ branches: number, hasBranch: boolean } | null>} nothing without a remote
 */
export async function askRemote({ config, baseDir }) {
  // Secrets are for tools: the remote is asked without them.
  const { secrets: _, ...asked } = config;
  return unwrap(await native().askRemote(JSON.stringify(asked), baseDir));
}

/**
 * Whether the remote answers.
 * @param {Patient} patient
 * @returns {Promise<import('./finding.js').Finding>}
 */
export async function remote({ located, asked }) {
  // What is wrong with the configuration has been told.
  if (located === undefined || asked === undefined) return ok('');
  const { provider = 'local', branch = 'main' } = located.resolved.config.git ?? {};
  try {
    const answer = await asked;
    if (answer === null) return ok('none, tools stay on this machine');
    const { branches, hasBranch } = answer;
    if (hasBranch) return ok(`answers, has the branch ${branch}`);
    if (branches === 0) return ok('answers, is empty');
    return warning(`answers, has no branch ${branch}`, 'The first write makes it; or name another one as git.branch.');
  } catch (error) {
    if (!(error instanceof TGPError)) throw error;
    const token = provider === 'local' ? 'TGP_GIT_TOKEN' : TOKENS[provider];
    const proxy = error.message.includes('proxy')
      ? ' the proxy (network.proxy in the config, or HTTPS_PROXY in the environment),'
      : '';
    return problem(error.message, `Check git.repo in the config, the network,${proxy} and the token in ${token}.`);
  }
}
