/** Detects the framework, package manager, databases and language of an application. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { detect, getUserAgent } from 'package-manager-detector/detect';
import { readTextAtMost } from '../boundary/bounded_read.js';
import { ConfigError } from '../boundary/errors.js';
import { parseForeignJson } from '../boundary/foreign_json.js';
import { databasesOf } from './databases.js';

/**
 * @typedef {'next' | 'nest' | 'plain'} Framework
 * @typedef {object} Project
 * @property {string} folder
 * @property {Framework} framework
 * @property {string} packageManager
 * @property {string} agent the package manager, with its generation where that matters: `yarn@berry`
 * @property {string[]} databases names of the database packages it uses
 * @property {'ts' | 'js'} language
 * @property {{ text: string, value: any } | undefined} manifest its package.json
 * @property {(name: string) => boolean} uses whether it depends on a package
 */

/**
 * @param {string} folder
 * @returns {Promise<Project>}
 */
export async function inspectProject(folder) {
  const manifest = await readManifest(folder);
  const manager = await detect({ cwd: folder });
  const dependencies = { ...manifest?.value.dependencies, ...manifest?.value.devDependencies };
  const uses = (/** @type {string} */ name) => Object.hasOwn(dependencies, name);
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

/** @param {string} folder */
async function readManifest(folder) {
  const file = join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  const text = await readTextAtMost(file);
  try {
    return { text, value: parseForeignJson(text) };
  } catch {
    throw new ConfigError('The package.json in this folder is not valid JSON. Fix it and run this again.');
  }
}
