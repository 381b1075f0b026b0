/** Arguments and results as a trace may hold them: without what looks like a secret, and short. */

/** What stands for a secret, here and in the native part. */
const HIDDEN = '[hidden]';

const MAX_CHARS = 8_192;
const MAX_TEXT_CHARS = 2_048;
/** Of names of tools, paths and ids. */
const MAX_NAME_CHARS = 1_024;
/** How far behind what is shown is looked for the rest of a secret: the longest that the kernel binds, and the longest pattern. */
const KNOWN_AHEAD = 1 << 15;
const PATTERN_AHEAD = 8_192;
const MAX_MEMBERS = 100;
const MAX_VALUES = 1_000;
const MAX_DEPTH = 16;

/** As `crates/compile/src/secrets/patterns.rs` has them, each with an end, since the text is anybody's; and our own tokens. */
const SECRETS = new RegExp(
  [
    '\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b',
    '\\b[sprw]k_(?:live|test)_[A-Za-z0-9]{8,256}',
    '\\bsk-[A-Za-z0-9_-]{16,256}',
    '\\bgh[pousr]_[A-Za-z0-9]{20,256}',
    '\\bgithub_pat_[A-Za-z0-9_]{20,256}',
    '\\bglpat-[A-Za-z0-9_-]{16,256}',
    '\\bxox[abposr]-[A-Za-z0-9-]{10,256}',
    '\\bAIza[A-Za-z0-9_-]{30,256}',
    '\\bSG\\.[A-Za-z0-9_-]{16,256}\\.[A-Za-z0-9_-]{16,256}',
    '\\bnpm_[A-Za-z0-9]{30,256}',
    '\\btgp_[A-Za-z0-9_-]{40,4096}',
    '(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2048}\\.[A-Za-z0-9_-]{8,2048}(?:\\.[A-Za-z0-9_-]{0,2048})?',
    '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\\s\\S]{0,2048}',
    '\\bhooks\\.slack\\.com/services/[A-Za-z0-9/]{1,256}',
    '\\b(?:[Bb]earer|[Bb]asic)\\s{1,8}(?=[A-Za-z._~+/=-]{0,256}[0-9])[A-Za-z0-9._~+/=-]{16,2048}',
    '(?<=://[^\\s/:@]{1,128}:)[^\\s/:@{}$]{1,256}(?=@)',
    '(?<=[?&](?:api_?key|access_?token|token|secret|password)=)[A-Za-z0-9._~-]{8,256}',
  ].join('|'),
  'g',
);

const SECRET_NAMES =
  /(?:^| )(?:password|passwd|pwd|secret|passphrase|credentials?)(?: |$)|(?:api|access|auth|private|secret|signing|encryption|session|bearer|refresh|bot|service) ?(?:key|token)|^token$|^apikey$|^authorization$|^cookie$/;

/**
 * @typedef {(text: string) => string | undefined} Hide the text without the secrets that the kernel knows; nothing where no kernel
 * is there to know them
 */

/**
 * The value as JSON text.
 * @param {unknown} value plain data
 * @param {Hide} hide
 * @returns {string | undefined} nothing where there is nothing to show, or nobody knows what must not be shown
 */
export function shownValue(value, hide) {
  if (value === undefined) return undefined;
  try {
    const text = JSON.stringify(shown(value, 0, { values: MAX_VALUES, chars: MAX_CHARS }, hide));
    return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS - 1)}…` : text;
  } catch {
    // Getters and proxies are code, and code can fail.
    return undefined;
  }
}

/**
 * @param {string} text
 * @param {Hide} hide
 * @returns {string | undefined}
 */
export function shownText(text, hide) {
  try {
    return cleanText(text, hide);
  } catch {
    return undefined;
  }
}

/**
 * A name, a path or an id, as long as those are.
 * @template {string | undefined} Text
 * @param {Text} text
 * @returns {Text}
 */
export function shortName(text) {
  if (text === undefined || text.length <= MAX_NAME_CHARS) return text;
  return /** @type {Text} */ (`${text.slice(0, MAX_NAME_CHARS)}…`);
}

/**
 * Masked first and cut afterwards: half a secret is one, too.
 * @param {string} text
 * @param {Hide} hide
 */
function cleanText(text, hide) {
  const known = headOf({ text, isWhole: true }, MAX_TEXT_CHARS + PATTERN_AHEAD, KNOWN_AHEAD, (head) => {
    const masked = hide(head);
    if (masked === undefined) throw new Error('Nobody knows the secrets of the kernel.');
    return masked;
  });
  const clean = headOf(known, MAX_TEXT_CHARS, PATTERN_AHEAD, (head) => head.replace(SECRETS, HIDDEN));
  return clean.isWhole ? clean.text : `${clean.text}…`;
}

/**
 * The masked text, up to so many characters of the one that is given. The mask is shown more than that, so that what it looks for
 * is never cut in two.
 * @param {{ text: string, isWhole: boolean }} given
 * @param {number} chars
 * @param {number} ahead
 * @param {(head: string) => string} mask
 */
function headOf({ text, isWhole }, chars, ahead, mask) {
  const head = text.slice(0, chars + ahead);
  const masked = mask(head);
  const isAll = isWhole && head.length === text.length;
  // What was taken out brings what stood behind it nearer.
  const most = isAll ? chars : Math.min(chars, head.length - ahead) - Math.max(0, head.length - masked.length);
  const kept = masked.slice(0, Math.max(0, most));
  return { text: kept, isWhole: isAll && kept.length === masked.length };
}

/**
 * @param {unknown} value
 * @param {number} depth
 * @param {{ values: number, chars: number }} left of what is looked at in all
 * @param {Hide} hide
 * @returns {unknown}
 */
function shown(value, depth, left, hide) {
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
  /** @type {[string, unknown][]} */
  const members = [];
  for (const key in value) {
    if (members.length >= MAX_MEMBERS || left.values < 0 || left.chars < 0) {
      members.push(['…', '…']);
      break;
    }
    left.chars -= Math.min(key.length, MAX_TEXT_CHARS);
    const member = /** @type {Record<string, unknown>} */ (value)[key];
    members.push([cleanText(key, hide), namesSecret(key) ? HIDDEN : shown(member, depth + 1, left, hide)]);
  }
  return Object.fromEntries(members);
}

/** @param {string} name */
function namesSecret(name) {
  const words = name
    .slice(0, MAX_TEXT_CHARS)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase()
    .trim();
  return SECRET_NAMES.test(words);
}
