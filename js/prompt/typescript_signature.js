/** A JSON Schema of arguments as the TypeScript type that it was read from: what models read best in least space. */

/** @typedef {Record<string, any>} JsonSchema */

const MAX_DEPTH = 4;
const MAX_CHARS = 200;
const MAX_VALUES = 8;

/**
 * @param {JsonSchema} schema
 * @returns {string}
 */
export function typeOf(schema) {
  const text = printed(schema, 0);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}

/**
 * @param {any} schema
 * @param {number} depth
 * @returns {string}
 */
function printed(schema, depth) {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return 'any';
  const inner = (/** @type {any} */ part) => printed(part, depth + 1);
  if (Array.isArray(schema.enum)) return values(schema.enum);
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.anyOf)) return [...new Set(schema.anyOf.map(inner))].join(' | ');
  switch (schema.type) {
    case 'array':
      return Array.isArray(schema.prefixItems)
        ? `[${schema.prefixItems.map(inner).join(', ')}]`
        : `${grouped(inner(schema.items))}[]`;
    case 'object':
      return object(schema, inner);
    case 'integer':
      return 'number';
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    default:
      return 'any';
  }
}

/**
 * @param {JsonSchema} schema
 * @param {(part: any) => string} inner
 */
function object({ properties = {}, required = [], additionalProperties }, inner) {
  const members = Object.entries(properties).map(([key, part]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${name}${required.includes(key) ? '' : '?'}: ${inner(part)}`;
  });
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  return additionalProperties ? `Record<string, ${inner(additionalProperties)}>` : '{}';
}

/** @param {unknown[]} all */
function values(all) {
  const shown = all.slice(0, MAX_VALUES).map(literal);
  return [...shown, ...(all.length > MAX_VALUES ? ['…'] : [])].join(' | ');
}

/**
 * A value as a type: one that is no single word is anything.
 * @param {unknown} value
 */
function literal(value) {
  return typeof value === 'object' && value !== null ? 'any' : JSON.stringify(value);
}

/** @param {string} type */
function grouped(type) {
  return type.includes(' | ') ? `(${type})` : type;
}
