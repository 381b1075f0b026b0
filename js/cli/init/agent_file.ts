/** The file of the agent that `tgp init` writes, and the packages that it imports. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './project.js';

/** The packages of every agent. */
export const AGENT_PACKAGES = ['@tgp/core', 'ai'];

/** The path of the agent. */
export function agentFile({ folder, framework, language }: Pick<Project, 'folder' | 'framework' | 'language'>): string {
  if (framework === 'nest') return 'src/tgp/tgp.module.ts';
  if (framework === 'plain') return 'agent.mjs';
  const source = !existsSync(join(folder, 'app')) && existsSync(join(folder, 'src')) ? 'src/' : '';
  return `${source}app/api/agent/route.${language}`;
}
