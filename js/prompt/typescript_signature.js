/** Prints a JSON Schema as a TypeScript type, which is short and familiar to models. */

/** @typedef {Record<string, any>} JsonSchema */

/** @typedef {{ depth: number, values: number }} Extent how much of a schema is printed */

const MAX_CHARS = 200;
/** For models: omitted parts are shown as `…`. */
const SHORT = { depth: 4, values: 8 };
/** For the type checker, which does not accept `…`. */
const WHOLE = { depth: 32, values: 1000 };

/**
 * @param {JsonSchema} schema
 * @returns {string}
 */
export function typeOf(schema) {
  const text = printed(schema, 0, SHORT);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}

/**
 * As {@link typeOf}, for a compiler.
 * @param {JsonSchema} schema of the application
 * @returns {string}
 */
export function wholeTypeOf(schema) {
  return printed(schema, 0, WHOLE);
}

/**
 * @param {any} schema
 * @param {number} depth
 * @param {Extent} extent
 * @returns {string}
 */
function printed(schema, depth, extent) {
  if (typeof schema !== 'object' || schema === null || depth > extent.depth) return 'any';
  const inner = (/** @type {any} */ part) => printed(part, depth + 1, extent);
  if (Array.isArray(schema.enum)) return values(schema.enum, extent);
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

/**
 * @param {unknown[]} all
 * @param {Extent} extent
 */
function values(all, extent) {
  if (extent === WHOLE && all.length > extent.values) return 'any';
  const shown = all.slice(0, extent.values).map(literal);
  return [...shown, ...(all.length > extent.values ? ['…'] : [])].join(' | ');
}

/**
 * A value as a literal type; objects become `any`.
 * @param {unknown} value
 */
function literal(value) {
  return typeof value === 'object' && value !== null ? 'any' : JSON.stringify(value);
}

/** @param {string} type */
function grouped(type) {
  return type.includes(' | ') ? `(${type})` : type;
}
