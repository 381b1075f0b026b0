/** The Next.js plugin. */

import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { TGPError } from './boundary/errors.js';
import { PACKAGE_FOLDER } from './package_folder.js';

/** Options of {@link withTGP}. */
export type WithTGPOptions = {
  /**
   * The routes that use the kernel, as in `outputFileTracingIncludes`. Only these include its files, which matters if
   * every route is deployed as a separate function. Default: all routes.
   */
  routes?: string[];
};

/** The keys of a Next.js config that this file reads. */
type NextConfig = {
  serverExternalPackages?: string[];
  outputFileTracingIncludes?: Record<string, string[]>;
  then?: never;
};
/** A config, a promise of one, or a function that returns one. */
type ConfigSource = NextConfig | PromiseLike<ConfigSource> | ((...context: unknown[]) => ConfigSource);

const NAME = '@tgp/core';
const EVERY_ROUTE = ['/**'];

/**
 * Files that the package opens at run time, which import tracing does not find. The binaries are here in a clone, and in platform
 * packages in an installation.
 */
const OWN_FILES = [
  '{package.json,index.js,binding.cjs,*.node,tgp-sandbox*,tgp.snapshot,tgp.icu}',
  '{dist,std,sandbox}/**/*',
];

/**
 * Makes a Next.js config (Next.js 15 or later) ready for `@tgp/core`: the package stays out of the bundle, and its native
 * addon, worker executable, snapshot and the `tgp.config.*` of the application are included in the deployment, in
 * standalone output and elsewhere. Takes a config, a promise of a config, or a function that returns one. Other settings are
 * not changed. Applying it twice has no further effect.
 *
 * @example
 * import type { NextConfig } from 'next';
 * import { withTGP } from '@tgp/core/next';
 *
 * const config: NextConfig = { output: 'standalone' };
 * export default withTGP(config);
 */
export function withTGP<Config extends object>(config?: Config, options: WithTGPOptions = {}): Config {
  return extended(config ?? {}, options.routes ?? EVERY_ROUTE) as Config;
}

function extended(config: ConfigSource, routes: string[]): ConfigSource {
  if (typeof config === 'function') {
    return (...context: unknown[]) => extended(config(...context), routes);
  }
  if (isPromise(config)) {
    return config.then((made) => extended(made, routes));
  }
  const { serverExternalPackages = [], outputFileTracingIncludes = {} } = config;
  const files = runtimeFiles();
  const includes = routes.map((route) => [route, union(outputFileTracingIncludes[route] ?? [], files)]);
  return {
    ...config,
    serverExternalPackages: union(serverExternalPackages, [NAME]),
    outputFileTracingIncludes: { ...outputFileTracingIncludes, ...Object.fromEntries(includes) },
  };
}

function isPromise(config: NextConfig | PromiseLike<ConfigSource>): config is PromiseLike<ConfigSource> {
  return typeof config.then === 'function';
}

/** Globs for Next.js, relative to the application's folder, where its commands run. */
function runtimeFiles(): string[] {
  const application = realpathSync(process.cwd());
  const from = (folder: string) => relative(application, folder).split(sep).join('/') || '.';
  return [
    'tgp.config.*',
    ...OWN_FILES.map((files) => `${from(PACKAGE_FOLDER)}/${files}`),
    ...platformPackages().map((folder) => `${from(folder)}/*`),
  ];
}

/** The installed platform packages with binaries. */
function platformPackages(): string[] {
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

function union(first: string[], second: string[]) {
  return [...new Set([...first, ...second])];
}
