/** Previews of JSON data that is too large for a model. */

type JsonObject = Record<string, unknown>;

/** Minimum room for a useful preview. */
const MIN_ROOM = 24;
const MAX_DEPTH = 32;
const MAX_KEY_CHARS = 80;
/** Room for the note on omitted keys. */
const MORE_KEYS_CHARS = 32;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * A value of the same shape whose JSON has at most `maxChars` characters. Long texts and lists end with a mark that shows
 * how much is missing; the members of an object share the room, and small members stay complete.
 * @param value as `JSON.parse` makes it
 */
export function preview(value: unknown, maxChars: number): unknown {
  return shrunk(value, maxChars, 0);
}

/** The beginning of a text, without a lone surrogate at its end. */
export function beginning(text: string, chars: number) {
  return text.slice(0, Math.max(0, chars)).replace(HIGH_SURROGATE, '');
}

/**
 * The length of a value's JSON and a comma, or any number above `most`, without serialising more than that.
 * @param value as `JSON.parse` makes it
 */
export function jsonLength(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length > most ? value.length : JSON.stringify(value).length;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)?.length ?? 0;
  let length = 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (length > most) break;
      length += jsonLength(item, most - length) + 1;
    }
    return length;
  }
  for (const key in value) {
    if (length > most) break;
    const name = JSON.stringify(key).length + 1;
    length += name + jsonLength((value as JsonObject)[key], most - length - name) + 1;
  }
  return length;
}

function shrunk(value: unknown, room: number, depth: number): unknown {
  if (jsonLength(value, room) <= room) return value;
  if (typeof value === 'string') return shrunkText(value, room);
  if (room < MIN_ROOM || depth > MAX_DEPTH) return '…';
  return Array.isArray(value) ? shrunkList(value, room, depth) : shrunkObject(value as JsonObject, room, depth);
}

function shrunkText(text: string, room: number) {
  const mark = `… (${text.length} characters in all)`;
  for (let chars = room - mark.length - 2; chars > 0; chars = Math.floor(chars / 2)) {
    const shown = beginning(text, chars) + mark;
    // Escapes may take several times the room of what they stand for.
    if (JSON.stringify(shown).length <= room) return shown;
  }
  return '…';
}

function shrunkList(list: unknown[], room: number, depth: number) {
  const mark = (shown: number) => `… ${list.length - shown} more of ${list.length}`;
  let left = room - mark(0).length - 4;
  const kept: unknown[] = [];
  for (const item of list) {
    const length = jsonLength(item, left) + 1;
    if (length > left) break;
    kept.push(item);
    left -= length;
  }
  // Otherwise a list whose first item is too large would be empty.
  if (kept.length === 0) kept.push(shrunk(list[0], left, depth + 1));
  return kept.length < list.length ? [...kept, mark(kept.length)] : kept;
}

function shrunkObject(object: JsonObject, room: number, depth: number) {
  const keys = Object.keys(object);
  const shown: { key: string; name: string }[] = [];
  // Keys get half of the room, values the other half.
  let left = room - MORE_KEYS_CHARS;
  for (const key of keys) {
    const name = key.length > MAX_KEY_CHARS ? `${beginning(key, MAX_KEY_CHARS)}…` : key;
    const length = JSON.stringify(name).length + 2;
    if (left - length < room / 2 && shown.length > 0) break;
    shown.push({ key, name });
    left -= length;
  }
  const values = new Map<string, unknown>();
  const sizes = shown.map(({ key }) => ({ key, size: jsonLength(object[key], room) }));
  // Smallest first, so that larger values share the room that is left.
  for (const [index, { key }] of sizes.sort((one, other) => one.size - other.size).entries()) {
    const small = shrunk(object[key], Math.floor(left / (shown.length - index)), depth + 1);
    values.set(key, small);
    left -= jsonLength(small, room);
  }
  const entries = shown.map(({ key, name }) => [name, values.get(key)]);
  const missing = keys.length - shown.length;
  return Object.fromEntries(missing > 0 ? [...entries, ['…', `${missing} more keys`]] : entries);
}
