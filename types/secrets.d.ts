/**
 * A secret that tools use without seeing it. A tool writes `{{secret:NAME}}` in a header, the query or the body of a request, or
 * in an argument of one of the application's functions; the host puts the value there when the request goes to one of `hosts`
 * over https (or stays on this machine), or the function is one of `functions`, and refuses it otherwise. Whatever comes back to
 * a tool has the placeholder in place of the value. Where secrets are bound, `Range` is refused, and so is `tgp.write_file` of a
 * text with a placeholder.
 */
export type SecretConfigInput = {
  /** The secret itself, of 8 bytes to 16 KiB, and not to be found by trying; shown masked. Give this or `env`. */
  value?: string;
  /** The environment variable that holds it. One that is not set is an error at boot. */
  env?: string;
  /** Servers that may be sent it, as `'api.example.com'` (then on the usual port) or `'api.example.com:8443'`. */
  hosts?: string[];
  /** Functions of `sandboxAPI` that may be given it. */
  functions?: string[];
};
