/**
 * Proxy and TLS settings of outgoing requests. The certificates of the machine are trusted in any case; if it has none, those of
 * Mozilla are used.
 */
export type NetworkConfigInput = {
  /**
   * The HTTP proxy that Git over https and the provider's API go through, such as `'http://proxy.example:3128'`; it may hold
   * a user name and a password, and is shown masked. Default: the environment variables `HTTPS_PROXY`, `HTTP_PROXY`,
   * `ALL_PROXY` and `NO_PROXY`. This machine itself is always reached directly. ssh uses its own configuration.
   */
  proxy?: string;
  /**
   * Hosts, domains and networks that are reached without `proxy`, such as `'git.corp.example'`, `'.corp.example'`, `'10.0.0.0/8'`.
   */
  noProxy?: string[];
  /**
   * A PEM file with additional trusted certificates, relative to the folder of the config file, such as the certificate authority
   * of a company or its proxy. Default: none.
   */
  ca?: string;
  /**
   * Whether fetches of tools use `proxy` and `ca` too. The proxy then resolves host names, so private addresses are not detected
   * here: only `allowedFetchUrls` limits what can be reached. The proxy of the environment is never used for tools. Default:
   * `false`.
   */
  forTools?: boolean;
};
