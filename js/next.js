/** The Next.js plugin. */

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { TGPError } from './boundary/errors.js';
import { PACKAGE_FOLDER } from './package_folder.js';

/**
 * @typedef {{ serverExternalPackages?: string[], outputFileTracingIncludes?: Record<string, string[]> }} NextConfig
 * the keys of a Next.js config that this file reads
 */

const NAME = '@tgp/core';
const EVERY_ROUTE = ['/**'];

/**
 * Files that the package opens at run time, which import tracing does not find. The binaries are here in a clone, and in platform
 * packages in an installation.
 */
const OWN_FILES = [
  '{package.json,index.js,binding.cjs,*.node,tgp-sandbox*,tgp.snapshot,tgp.icu}',
  '{js,dist,std,sandbox}/**/*',
];

/** @type {typeof import('../next.js').withTGP} */
export function withTGP(config, { routes = EVERY_ROUTE } = {}) {
  return /** @type {any} */ (extended(config ?? {}, routes));
}

/**
 * @param {any} config
 * @param {string[]} routes
 * @returns {unknown}
 */
function extended(config, routes) {
  if (typeof config === 'function') {
    return (/** @type {unknown[]} */ ...context) => extended(config(...context), routes);
  }
  if (typeof config.then === 'function') {
    return config.then((/** @type {unknown} */ made) => extended(made, routes));
  }
  /** @type {NextConfig} */
  const { serverExternalPackages = [], outputFileTracingIncludes = {} } = config;
  const files = runtimeFiles();
  const includes = routes.map((route) => [route, union(outputFileTracingIncludes[route] ?? [], files)]);
  return {
    ...config,
    serverExternalPackages: union(serverExternalPackages, [NAME]),
    outputFileTracingIncludes: { ...outputFileTracingIncludes, ...Object.fromEntries(includes) },
  };
}

/**
 * Globs for Next.js, relative to the application's folder, where its commands run.
 * @returns {string[]}
 */
function runtimeFiles() {
  const application = realpathSync(process.cwd());
  const from = (/** @type {string} */ folder) => relative(application, folder).split(sep).join('/') || '.';
  return [
    'tgp.config.*',
    ...OWN_FILES.map((files) => `${from(PACKAGE_FOLDER)}/${files}`),
    ...platformPackages().map((folder) => `${from(folder)}/*`),
  ];
}

/**
 * The installed platform packages with binaries.
 * @returns {string[]}
 */
function platformPackages() {
  const [scope, prefix] = `${NAME}-`.split('/', 2);
  const folders = (createRequire(join(PACKAGE_FOLDER, 'package.json')).resolve.paths(NAME) ?? []).map((folder) =>
    join(folder, scope ?? ''),
  );
  const packages = folders.filter(existsSync).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.startsWith(prefix ?? ''))
      .map((name) => realpathSync(join(folder, name))),
  );
  const inClone = readdirSync(PACKAGE_FOLDER).some((name) => name.endsWith('.node'));
  if (packages.length === 0 && !inClone) {
    throw new TGPError(
      'ERR_IO',
      `The native part of ${NAME} is not installed, so the application cannot run. Install again without --omit=optional; ` +
        'in a clone of the repository run "npm run build".',
    );
  }
  return packages;
}

/**
 * @param {string[]} first
 * @param {string[]} second
 */
function union(first, second) {
  return [...new Set([...first, ...second])];
}
