/** Values of MySQL and MariaDB, as `mysql2` takes and gives them. */

import { JsonWriter } from './json_writer.js';

/**
 * @typedef {{ name: string, columnType: number, extendedFormat?: string }} Field
 * @typedef {{ type: string, extendedFormat?: string, string: (encoding?: string) => string | null }} Raw a value as the
 * driver hands it to a function that reads it in its stead
 */

/** TIMESTAMP and DATETIME, as the protocol numbers them. */
const MOMENTS = [7, 12];
const JSON_TYPE = 245;
/** Values that the driver itself would turn into something: objects of any depth, or numbers that are not exact. */
const READ_OTHERWISE = [0, 246, JSON_TYPE, 255];

/**
 * Dates as text, integers of 64 bits exactly. Nothing is compiled: the driver would keep a function for every list of
 * columns that anybody ever asks for.
 */
export const READING = {
  dateStrings: true,
  supportBigNumbers: true,
  bigNumberStrings: false,
  rowsAsArray: true,
  nestTables: false,
  disableEval: true,
  typeCast: true,
};

/** @param {Field} field */
const isJson = ({ columnType, extendedFormat }) => columnType === JSON_TYPE || extendedFormat === 'json';

/**
 * What the driver asks to read values for it, if any of these columns needs it.
 * @param {Field[]} fields
 */
export function typeCastOf(fields) {
  const needed = fields.some((field) => isJson(field) || READ_OTHERWISE.includes(field.columnType));
  return needed ? castValue : true;
}

/**
 * @param {Raw} field
 * @param {() => unknown} next
 */
function castValue(field, next) {
  if (field.type === 'JSON' || field.extendedFormat === 'json') return field.string('utf8');
  if (field.type === 'DECIMAL' || field.type === 'NEWDECIMAL') return field.string('ascii');
  if (field.type !== 'GEOMETRY') return next();
  try {
    return next();
  } catch (error) {
    // In the middle of the protocol nothing may be thrown: it is when the row is written.
    return {
      toJSON: () => {
        throw error;
      },
    };
  }
}

/**
 * What writes rows with these columns. Of columns with one name the last counts, as in an object.
 * @param {Field[]} fields
 * @returns {(cells: unknown[], room: number) => string}
 */
export function mysqlRowWriter(fields) {
  const last = new Map(fields.map(({ name }, index) => [name, index]));
  const written = [...last].map(([name, index], position) => ({
    index,
    key: `${position === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    json: isJson(/** @type {Field} */ (fields[index])),
    moment: MOMENTS.includes(fields[index]?.columnType ?? 0),
  }));
  return (cells, room) => {
    const writer = new JsonWriter(room);
    for (const { index, key, json, moment } of written) {
      writer.raw(key);
      const value = cells[index];
      if (json && typeof value === 'string') writer.json(value);
      else writer.value(moment && typeof value === 'string' ? value.replace(' ', 'T') : value);
    }
    writer.raw('}');
    return writer.text();
  };
}

/** MySQL does not take the spelling that dates cross with. */
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** BIGINT, as the protocol numbers it. */
const INTEGER = { columnType: 8, flags: 0 };

/**
 * A prepared statement whose whole numbers are sent as such. By itself the driver goes by what the server says of each
 * parameter, and where that is nothing it sends text. The application may use the same statement, so this is one beside it.
 * @param {any} statement
 * @param {unknown[]} values
 */
export function withIntegers(statement, values) {
  const parameters = values.map((value, index) =>
    typeof value === 'bigint' ? INTEGER : statement.parameters?.[index],
  );
  return Object.create(statement, { parameters: { value: parameters } });
}

/**
 * Whole numbers go as integers, since floats would not fit a LIMIT; versions of the driver that cannot, send them as text.
 * @param {unknown} value
 */
export function toMysql(value) {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) return JSON.stringify(value);
  if (typeof value === 'string' && ISO_DATE.test(value)) return value.replace('T', ' ').replace('Z', '');
  return value;
}
