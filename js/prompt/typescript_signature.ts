/** Prints a JSON Schema as a TypeScript type, which is short and familiar to models. */

/** The keywords that are printed. */
type PrintedSchema = {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: unknown[];
  items?: unknown;
  prefixItems?: unknown[];
  properties?: Record<string, unknown>;
  required?: string[];
  additionalProperties?: unknown;
};

/** How much of a schema is printed. */
type Extent = { depth: number; values: number };

const MAX_CHARS = 200;
/** For models: omitted parts are shown as `…`. */
const SHORT = { depth: 4, values: 8 };
/** For the type checker, which does not accept `…`. */
const WHOLE = { depth: 32, values: 1000 };

/** As a type on one line, truncated. */
export function typeOf(schema: object): string {
  const text = printed(schema, 0, SHORT);
  return text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS - 1)}…`;
}

/**
 * As {@link typeOf}, for a compiler.
 * @param schema of the application
 */
export function wholeTypeOf(schema: object): string {
  return printed(schema, 0, WHOLE);
}

/** The further items of a tuple, if they have a type. */
function rest(items: unknown, inner: (part: unknown) => string) {
  const isTyped = typeof items === 'object' && items !== null && Object.keys(items).length > 0;
  return isTyped ? [`...${grouped(inner(items))}[]`] : [];
}

function printed(part: unknown, depth: number, extent: Extent): string {
  if (typeof part !== 'object' || part === null || depth > extent.depth) return 'any';
  const schema: PrintedSchema = part;
  const inner = (part: unknown) => printed(part, depth + 1, extent);
  if (Array.isArray(schema.enum)) return values(schema.enum, extent);
  if ('const' in schema) return literal(schema.const);
  if (Array.isArray(schema.anyOf)) return [...new Set(schema.anyOf.map(inner))].join(' | ');
  switch (schema.type) {
    case 'array':
      return Array.isArray(schema.prefixItems)
        ? `[${[...schema.prefixItems.map(inner), ...rest(schema.items, inner)].join(', ')}]`
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

function object(
  { properties = {}, required = [], additionalProperties }: PrintedSchema,
  inner: (part: unknown) => string,
) {
  const members = Object.entries(properties).map(([key, part]) => {
    const name = /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key);
    return `${name}${required.includes(key) ? '' : '?'}: ${inner(part)}`;
  });
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  return additionalProperties ? `Record<string, ${inner(additionalProperties)}>` : '{}';
}

function values(all: unknown[], extent: Extent) {
  if (extent === WHOLE && all.length > extent.values) return 'any';
  const shown = all.slice(0, extent.values).map(literal);
  return [...shown, ...(all.length > extent.values ? ['…'] : [])].join(' | ');
}

/** A value as a literal type; objects become `any`. */
function literal(value: unknown) {
  return typeof value === 'object' && value !== null ? 'any' : JSON.stringify(value);
}

function grouped(type: string) {
  return type.includes(' | ') ? `(${type})` : type;
}
