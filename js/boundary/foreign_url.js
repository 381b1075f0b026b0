/** Parses untrusted URLs. */

/**
 * The text as a URL; undefined if it is invalid.
 * @param {string} text
 * @param {string} [base]
 * @returns {URL | undefined}
 */
export function foreignUrl(text, base) {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
