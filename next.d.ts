/** Options of {@link withTGP}. */
export type WithTGPOptions = {
  /**
   * The routes that use the kernel, as in `outputFileTracingIncludes`. Only they carry its files, which matters where
   * every route is deployed as a function of its own. Default: all of them.
   */
  routes?: string[];
};

/**
 * Makes a Next.js config (Next.js 15 or later) ready for `@tgp/core`: the package stays out of the bundle, and its native
 * addon, worker executable, snapshot and the `tgp.config.*` of the application become part of what is deployed, in
 * standalone output and elsewhere. Takes a config, a promise of one, or a function that makes one; everything else in it
 * stays as it is. Applying it twice is the same as once.
 *
 * @example
 * import type { NextConfig } from 'next';
 * import { withTGP } from '@tgp/core/next';
 *
 * const config: NextConfig = { output: 'standalone' };
 * export default withTGP(config);
 */
export declare function withTGP<Config extends object>(config?: Config, options?: WithTGPOptions): Config;
