/** Masks and truncates arguments and results for traces. */

/** Replacement for a secret, as in the native part. */
const HIDDEN = '[hidden]';

const MAX_CHARS = 8_192;
const MAX_TEXT_CHARS = 2_048;
/** Maximum length of tool names, paths and ids. */
const MAX_NAME_CHARS = 1_024;
/** How far beyond the shown text a secret may end: the longest secret that the kernel binds. */
const AHEAD = 1 << 15;
const MAX_MEMBERS = 100;
const MAX_VALUES = 1_000;
const MAX_DEPTH = 16;

const SECRET_NAMES =
  /(?:^| )(?:password|passwd|pwd|secret|passphrase|credentials?)(?: |$)|(?:api|access|auth|private|secret|signing|encryption|session|bearer|refresh|bot|service) ?(?:key|token)|^token$|^apikey$|^authorization$|^cookie$/;

/** Masks the secrets of the kernel and texts that look like secrets; undefined if no kernel is booted. */
export type Hide = (text: string) => string | undefined;

/**
 * A value as masked and truncated JSON text.
 * @param value plain data
 * @returns undefined if the value is undefined, or if secrets are unknown
 */
export function shownValue(value: unknown, hide: Hide): string | undefined {
  if (value === undefined) return undefined;
  try {
    const text = JSON.stringify(shown(value, 0, { values: MAX_VALUES, chars: MAX_CHARS }, hide));
    return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
  } catch {
    // A getter or proxy threw.
    return undefined;
  }
}

/** A text that is masked; undefined if that fails. */
export function shownText(text: string, hide: Hide): string | undefined {
  try {
    return cleanText(text, hide);
  } catch {
    return undefined;
  }
}

/** Truncates a name, a path or an id. */
export function shortName<Text extends string | undefined>(text: Text): Text {
  if (text === undefined || text.length <= MAX_NAME_CHARS) return text;
  return `${text.slice(0, MAX_NAME_CHARS)}…` as Text;
}

/**
 * Masks first and truncates afterwards. More is masked than is shown, so that no part of a secret remains at the end.
 */
function cleanText(text: string, hide: Hide) {
  const head = text.slice(0, MAX_TEXT_CHARS + AHEAD);
  const masked = hide(head);
  if (masked === undefined) throw new Error('The secrets of the kernel are unknown.');
  const isAll = head.length === text.length;
  // Masking shortens the text, which moves unmasked text into the shown part.
  const most = isAll ? MAX_TEXT_CHARS : MAX_TEXT_CHARS - Math.max(0, head.length - masked.length);
  const kept = masked.slice(0, Math.max(0, most));
  return isAll && kept.length === masked.length ? kept : `${kept}…`;
}

/** @param left the remaining budget */
function shown(value: unknown, depth: number, left: { values: number; chars: number }, hide: Hide): unknown {
  left.values -= 1;
  if (left.values < 0 || left.chars < 0 || depth > MAX_DEPTH) return '…';
  if (typeof value === 'string') {
    left.chars -= Math.min(value.length, MAX_TEXT_CHARS);
    return cleanText(value, hide);
  }
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const some = value.slice(0, MAX_MEMBERS).map((item) => shown(item, depth + 1, left, hide));
    return value.length > MAX_MEMBERS ? [...some, '…'] : some;
  }
  const members: [string, unknown][] = [];
  for (const key in value) {
    if (members.length >= MAX_MEMBERS || left.values < 0 || left.chars < 0) {
      members.push(['…', '…']);
      break;
    }
    left.chars -= Math.min(key.length, MAX_TEXT_CHARS);
    const member = (value as Record<string, unknown>)[key];
    members.push([cleanText(key, hide), namesSecret(key) ? HIDDEN : shown(member, depth + 1, left, hide)]);
  }
  return Object.fromEntries(members);
}

function namesSecret(name: string) {
  const words = name
    .slice(0, MAX_TEXT_CHARS)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase()
    .trim();
  return SECRET_NAMES.test(words);
}
