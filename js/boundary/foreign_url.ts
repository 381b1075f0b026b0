/** Parses untrusted URLs. */

/** The text as a URL; undefined if it is invalid. */
export function foreignUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
