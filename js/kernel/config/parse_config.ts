/** Validates a configuration against its schema. */

import { ConfigError } from '../../boundary/errors.js';
import { isRecord } from '../../boundary/foreign_json.js';
import { parseSettings } from '../../boundary/validation.js';
import type { TGPConfigInput } from '../../types/config.js';
import { ConfigInputSchema, MAX_ENTRIES } from './option_schemas.js';

/** The configuration, and its keys that have no effect. */
export type ParsedConfig = { config: TGPConfigInput; ignored: string[] };

/** Keys of the TypeScript package's configuration that never had an effect. */
const OLD_KEYS = ['db'];

/** Nesting depth of a configuration. */
const MAX_DEPTH = 3;

/**
 * Validates a configuration and returns it; an invalid or unknown key is refused with its dotted name.
 * @param source what the configuration came from, for messages
 */
export function parseConfig(input: unknown, source: string): ParsedConfig {
  const subject = `Invalid TGP Configuration: ${source}`;
  const { data, ignored } = readable(input, subject);
  return { config: parseSettings(ConfigInputSchema, data, subject), ignored };
}

/** The input for the schema: of bounded size, and without obsolete keys. */
function readable(input: unknown, subject: string): { data: unknown; ignored: string[] } {
  try {
    const long = tooLong(dataOf(input), [], MAX_DEPTH);
    if (long !== undefined) {
      const key = long.join('.');
      const message = `"${key}" is not valid (must have at most ${MAX_ENTRIES} entries)`;
      throw new ConfigError(`${subject}: ${message}.`, { details: { issues: [{ key, message }] } });
    }
    const old = OLD_KEYS.filter((key) => isRecord(input) && Object.hasOwn(input, key));
    if (!isRecord(input) || old.length === 0) return { data: input, ignored: [] };
    const rest = Object.entries(input).filter(([key]) => !old.includes(key));
    return { data: Object.fromEntries(rest), ignored: old };
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    throw new ConfigError(`${subject}: it cannot be read. Pass plain data.`, { cause });
  }
}

/** The input without members that are not data or have limits of their own: database, functions, policy. */
function dataOf(input: unknown) {
  if (!isRecord(input)) return input;
  const { sql: _sql, sandboxAPI: _functions, policy: _policy, ...data } = input;
  return data;
}

/** The path of a member with more than MAX_ENTRIES entries, if there is one. */
function tooLong(value: unknown, path: string[], depth: number): string[] | undefined {
  if (Array.isArray(value)) return value.length > MAX_ENTRIES ? path : undefined;
  if (!isRecord(value) || depth === 0) return undefined;
  const keys = Object.keys(value);
  if (keys.length > MAX_ENTRIES) return path;
  for (const key of keys) {
    const found = tooLong(value[key], [...path, key], depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
