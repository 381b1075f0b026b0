/** Finds which key a caller may have meant by an unknown one. */

import { isRecord } from './foreign_json.js';
import { nearest } from './spelling.js';

/** The members of zod schemas that lead to the schemas inside them. */
type SchemaNode = {
  shape?: Record<PropertyKey, SchemaNode>;
  element?: SchemaNode;
  out?: SchemaNode;
  unwrap?: () => SchemaNode;
};

/** A shorter beginning of a key does not suggest it. */
const MIN_BEGINNING = 4;

/** Maximum number of keys in a question. */
const MAX_MEANT = 3;

/** Other names for a key. */
const SYNONYMS = new Map([
  ['path', ['tool', 'name', 'file', 'filename', 'tool_path', 'toolPath', 'file_path', 'filePath']],
  ['args', ['arguments', 'params', 'parameters', 'input']],
  ['code', ['source', 'script', 'program']],
]);

/** Members of schemas that hold the arguments of another call. */
const CALL_ARGUMENTS = new WeakSet<object>();

/** Marks a member of a schema that holds the arguments of another call: unknown keys beside it belong in it. */
export function callArguments<Schema extends object>(schema: Schema) {
  CALL_ARGUMENTS.add(schema);
  return schema;
}

/**
 * The problem of an unknown key.
 * @param given the object with the key
 * @param missing the required keys that the object does not have
 */
export function describeUnknownKey(path: PropertyKey[], schema: object, given: unknown, missing: string[]) {
  const key = path.join('.');
  const name = String(path.at(-1));
  const shape = shapeAt(schema, path.slice(0, -1));
  const allowed = Object.keys(shape);
  if (allowed.length === 0) return { key, message: `"${key}" is not known here` };
  const meant = meantKeys(name, shape, given);
  if (meant.length > 0 && meant.length <= MAX_MEANT) {
    const suggestions = meant.map((each) => [...path.slice(0, -1), each].join('.'));
    const question = suggestions.map((each) => `"${each}"`).join(' or ');
    const suggestion = onlyOne(suggestions);
    return { key, ...(suggestion && { suggestion }), message: `"${key}" is not known, did you mean ${question}?` };
  }
  const inside = path.length === 1 ? allowed.find((each) => isCallArguments(shape[each])) : undefined;
  if (inside !== undefined && missing.every((each) => isNamedOtherwise(each, given))) {
    return { key, suggestion: `${inside}.${key}`, message: `"${key}" is not known here: it belongs in "${inside}"` };
  }
  return { key, message: `"${key}" is not known here (known: ${allowed.join(', ')})` };
}

/** The keys that a name may stand for; a member of a member as its path. */
function meantKeys(name: string, shape: Record<PropertyKey, SchemaNode>, given: unknown): string[] {
  const inner = Object.entries(shape).flatMap(([group, member]) =>
    Object.keys(shapeOf(member)).map((key) => ({ key, path: `${group}.${key}` })),
  );
  const pathsOf = (fits: (key: string) => boolean) => inner.filter(({ key }) => fits(key)).map(({ path }) => path);
  const exact = pathsOf((key) => key === name);
  if (exact.length > 0) return exact;
  const near = similarKey(name, Object.keys(shape)) ?? synonymOf(name, shape, given);
  return near === undefined ? pathsOf((key) => isBeginning(name, key)) : [near];
}

/** The key with a similar spelling, or the only one that begins like this. */
function similarKey(name: string, allowed: string[]) {
  return nearest(name, allowed) ?? onlyOne(allowed.filter((key) => isBeginning(name, key)));
}

function isBeginning(name: string, key: string) {
  return name.length >= MIN_BEGINNING && key.toLowerCase().startsWith(name.toLowerCase());
}

/** The key that has this synonym, unless it is given too. */
function synonymOf(name: string, shape: Record<PropertyKey, SchemaNode>, given: unknown) {
  const own = isRecord(given) ? given : {};
  return Object.keys(shape).find((key) => {
    if (!SYNONYMS.get(key)?.includes(name) || Object.hasOwn(own, key)) return false;
    return !isCallArguments(shape[key]) || isRecord(own[name]);
  });
}

/** Whether the object has a synonym of this key. */
function isNamedOtherwise(key: string, given: unknown) {
  return isRecord(given) && (SYNONYMS.get(key) ?? []).some((name) => Object.hasOwn(given, name));
}

function onlyOne<Item>(items: Item[]): Item | undefined {
  return items.length === 1 ? items[0] : undefined;
}

function isCallArguments(member: SchemaNode | undefined) {
  return member !== undefined && CALL_ARGUMENTS.has(member);
}

/** The members of the schema at a path; empty if the schema does not define any. */
function shapeAt(schema: object, path: PropertyKey[]) {
  let current: SchemaNode | undefined = schema;
  for (const key of path) {
    current = typeof key === 'number' ? current?.element : current?.shape?.[key];
    while (current?.shape === undefined && isAround(current)) current = unwrapped(current);
  }
  return current?.shape ?? {};
}

/** The members of a schema of objects; empty for others. */
function shapeOf(schema: SchemaNode) {
  return shapeAt({ shape: { schema } }, ['schema']);
}

/** Whether a schema wraps another one: optional, or a transformation. */
function isAround(schema: SchemaNode | undefined): schema is SchemaNode {
  return typeof schema?.unwrap === 'function' || schema?.out !== undefined;
}

/** The wrapped schema. An array's `unwrap` gives its element schema, which is kept as `element`. */
function unwrapped(schema: SchemaNode): SchemaNode | undefined {
  if (schema.out !== undefined) return schema.out;
  return schema.element === undefined ? schema.unwrap?.() : { element: schema.element };
}
