/** Detects the framework, package manager, databases and language of an application. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Agent } from 'package-manager-detector';
import { detect, getUserAgent } from 'package-manager-detector/detect';
import { readTextAtMost } from '../../boundary/bounded_read.js';
import { ConfigError } from '../../boundary/errors.js';
import { isRecord, parseForeignJson } from '../../boundary/foreign_json.js';
import { databasesOf } from './databases.js';

type Framework = 'next' | 'nest' | 'plain';
export type Project = {
  folder: string;
  framework: Framework;
  packageManager: string;
  /** The package manager, with its generation where that matters: `yarn@berry`. */
  agent: Agent;
  /** Names of the database packages it uses. */
  databases: string[];
  language: 'ts' | 'js';
  /** Its package.json. */
  manifest: { text: string; value: Record<string, unknown> } | undefined;
  /** Whether it depends on a package. */
  uses: (name: string) => boolean;
};

/** Detects these facts in the application's folder. */
export async function inspectProject(folder: string): Promise<Project> {
  const manifest = await readManifest(folder);
  const manager = await detect({ cwd: folder });
  const { dependencies, devDependencies } = manifest?.value ?? {};
  const uses = (name: string) =>
    [dependencies, devDependencies].some((names) => isRecord(names) && Object.hasOwn(names, name));
  return {
    folder,
    framework: uses('next') ? 'next' : uses('@nestjs/core') ? 'nest' : 'plain',
    packageManager: manager?.name ?? getUserAgent() ?? 'npm',
    agent: manager?.agent ?? getUserAgent() ?? 'npm',
    databases: databasesOf(uses),
    language: existsSync(join(folder, 'tsconfig.json')) || uses('typescript') ? 'ts' : 'js',
    manifest,
    uses,
  };
}

async function readManifest(folder: string): Promise<Project['manifest']> {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const text = await readTextAtMost(file);
  try {
    const value = parseForeignJson(text);
    return { text, value: isRecord(value) ? value : {} };
  } catch {
    throw new ConfigError('The package.json in this folder is not valid JSON. Fix it and run this again.');
  }
}
