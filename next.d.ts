/** Options of {@link withTGP}. */
export type WithTGPOptions = {
  /**
   * The routes that use the kernel, as in `outputFileTracingIncludes`. Only these include its files, which matters if
   * every route is deployed as a separate function. Default: all routes.
   */
  routes?: string[];
};

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
export declare function withTGP<Config extends object>(config?: Config, options?: WithTGPOptions): Config;
