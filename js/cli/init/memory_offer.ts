/** The offer of `tgp init` to install @tgp/memory, the weights for tool search by meaning. */

import { packageVersion } from '../../boundary/package_version.js';
import { locateWeights } from '../../kernel/embedding_model.js';
import { packageCommand } from '../workspace/package_command.js';
import type { Project } from './project.js';

const NAME = '@tgp/memory';
const REGISTRY = 'https://registry.npmjs.org/';
const TIMEOUT_MS = 2_000;

/** The step that installs it; none if it is installed, or if the registry does not have it. */
export async function memoryOffer({ folder, agent, uses }: Project): Promise<string[]> {
  if (uses(NAME) || locateWeights(folder) !== undefined || !(await isPublished())) return [];
  return [`Optional, to find tools by meaning as well as by words: ${packageCommand(agent, 'add', [NAME])}`];
}

/** Asks the registry that package managers name in the environment. */
async function isPublished(): Promise<boolean> {
  const registry = process.env.npm_config_registry || REGISTRY;
  try {
    const address = `${registry.replace(/\/?$/, '/')}${NAME.replace('/', '%2f')}/${packageVersion()}`;
    const answer = await fetch(address, { method: 'HEAD', signal: AbortSignal.timeout(TIMEOUT_MS) });
    return answer.ok;
  } catch {
    return false;
  }
}
