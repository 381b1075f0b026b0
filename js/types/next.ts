/** Options of {@link withTGP}. */
export type WithTGPOptions = {
  /**
   * The routes that use the kernel, as in `outputFileTracingIncludes`. Only these include its files, which matters if
   * every route is deployed as a separate function. Default: all routes.
   */
  routes?: string[];
};
