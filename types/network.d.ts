/**
 * How requests leave the machine. What the machine trusts is trusted in any case; where it has no certificates at all, those of
 * Mozilla are.
 */
export type NetworkConfigInput = {
  /**
   * The HTTP proxy that Git over https and the provider's API go through, such as `'http://proxy.example:3128'`; it may hold
   * a user name and a password, and is shown masked. Default: what the environment variables `HTTPS_PROXY`, `HTTP_PROXY`,
   * `ALL_PROXY` and `NO_PROXY` say. This machine itself is always reached directly. ssh goes by its own configuration.
   */
  proxy?: string;
  /** Hosts, domains and networks that are reached without `proxy`, such as `'git.corp.example'`, `'.corp.example'`, `'10.0.0.0/8'`. */
  noProxy?: string[];
  /**
   * A file of certificates in PEM that are trusted beside those of the machine, relative to the folder of the config file:
   * the authority of a company or of its proxy. Default: none.
   */
  ca?: string;
  /**
   * Whether what tools fetch goes through `proxy` and trusts `ca` as well. The proxy looks up the names then, so that a name
   * with a private address is not noticed here: `allowedFetchUrls` alone says what can be reached. The environment's proxy is
   * never used for tools. Default: `false`.
   */
  forTools?: boolean;
};
