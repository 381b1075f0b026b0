/** Parses arguments that a model has sent as JSON text instead of a value: `"{\"a\":1}"` for `{ a: 1 }`, `"5"` for 5. */

import { BadJson, isRecord, parseForeignJson } from '../boundary/foreign_json.js';

/** The part of a JSON Schema that selects types. */
type ArgumentSchema = { type?: unknown; anyOf?: unknown; properties?: Record<string, unknown> };

/** Longest text that is parsed. */
const MAX_CHARS = 4 << 20;

/**
 * Parses JSON texts in arguments. Members that the schema allows as text, or does not define, are not changed.
 * @param schema of an object
 */
export function unquoted(schema: ArgumentSchema, args: unknown): unknown {
  const input = readAs(['object'], args);
  if (!isRecord(input)) return args;
  const entries = entriesOf(input);
  if (entries === undefined) return args;
  const read = entries.map(([key, value]) => {
    const part = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
    return [key, readAs(wantedTypes(part as ArgumentSchema | undefined), value)] as const;
  });
  const isChanged = input !== args || read.some(([, value], at) => value !== entries[at]?.[1]);
  return isChanged ? Object.fromEntries(read) : args;
}

/** The entries; undefined if a getter or proxy throws. The schema then refuses the arguments. */
function entriesOf(input: object) {
  try {
    return Object.entries(input);
  } catch {
    return undefined;
  }
}

/** The JSON types that a schema accepts; empty if it accepts a text. */
function wantedTypes(schema: ArgumentSchema | undefined): string[] {
  const parts: (ArgumentSchema | undefined)[] = Array.isArray(schema?.anyOf) ? schema.anyOf : [schema];
  const types = parts.map((part) => part?.type);
  return types.every((type): type is string => typeof type === 'string' && type !== 'string') ? types : [];
}

/** @returns the parsed value, if it has one of these types */
function readAs(types: string[], value: unknown): unknown {
  if (typeof value !== 'string' || types.length === 0 || value.length > MAX_CHARS) return value;
  try {
    const read = parseForeignJson(value);
    return types.includes(typeOfJson(read)) || (types.includes('integer') && Number.isInteger(read)) ? read : value;
  } catch (error) {
    if (error instanceof BadJson) return value;
    throw error;
  }
}

function typeOfJson(value: unknown) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
