/**
 * A secret that tools use without seeing it. A tool writes `{{secret:NAME}}` in a header, the query or the body of a request, or
 * in an argument of one of the application's functions; the host puts the value there when the request goes to one of `hosts`
 * over https (or stays on this machine), or the function is one of `functions`, and refuses it otherwise. In responses
 * to a tool the placeholder replaces the value. Where secrets are bound, `Range` is refused, and so is `tgp.write_file` of a
 * text with a placeholder.
 */
export type SecretConfigInput = {
  /** The secret itself, of 8 bytes to 16 KiB, and not guessable; shown masked. Set this or `env`. */
  value?: string;
  /** The environment variable that holds it. One that is not set is an error at boot. */
  env?: string;
  /** Servers that may receive it, such as `'api.example.com'` (on the default port) or `'api.example.com:8443'`. */
  hosts?: string[];
  /** Functions of `sandboxAPI` that may receive it. */
  functions?: string[];
};
