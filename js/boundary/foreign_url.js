/** URLs that others have written. */

/**
 * The text as a URL, or nothing: `new URL` throws, and `URL.canParse` before it reads every text twice.
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
