/** Converts values between `mysql2` and JSON. */

import type { MysqlField, MysqlStatement } from '../drivers.js';
import { JsonWriter } from '../rows/json_writer.js';

/** A value as the driver passes it to a `typeCast` function. */
type RawValue = { type: string; extendedFormat?: string; string: (encoding?: string) => string | null };

/** Protocol type numbers of TIMESTAMP and DATETIME. */
const MOMENTS = [7, 12];
const JSON_TYPE = 245;
/** Types that the driver would convert itself: to objects of any depth, or to inexact numbers. */
const READ_OTHERWISE = [0, 246, JSON_TYPE, 255];

/**
 * Dates as text, 64-bit integers exactly. `disableEval`: the driver would otherwise compile and keep a function for every distinct
 * list of columns.
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

const isJson = ({ columnType, extendedFormat }: MysqlField) => columnType === JSON_TYPE || extendedFormat === 'json';

/** The `typeCast` option for these columns. */
export function typeCastOf(fields: MysqlField[]) {
  const needed = fields.some((field) => isJson(field) || READ_OTHERWISE.includes(field.columnType));
  return needed ? castValue : true;
}

function castValue(field: RawValue, next: () => unknown) {
  if (field.type === 'JSON' || field.extendedFormat === 'json') return field.string('utf8');
  if (field.type === 'DECIMAL' || field.type === 'NEWDECIMAL') return field.string('ascii');
  if (field.type !== 'GEOMETRY') return next();
  try {
    return next();
  } catch (error) {
    // Throwing inside the protocol handler would break it, so the error is thrown when the row is written.
    return {
      toJSON: () => {
        throw error;
      },
    };
  }
}

/** A writer of rows with these columns. Of columns with the same name the last one wins, as in an object. */
export function mysqlRowWriter(fields: MysqlField[]): (cells: unknown[], room: number) => string {
  const last = new Map(fields.map(({ name }, index) => [name, index]));
  const written = [...last].map(([name, index], position) => ({
    index,
    key: `${position === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    json: isJson(fields[index] as MysqlField),
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

/** ISO dates, which MySQL does not accept as they are. */
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Protocol type number of BIGINT. */
const INTEGER = { columnType: 8, flags: 0 };

/**
 * A copy of a prepared statement that sends integers as such. The driver uses the parameter types reported by the server, and text
 * where there are none. A copy, because the application may use the same statement.
 */
export function withIntegers(statement: MysqlStatement, values: unknown[]): MysqlStatement {
  const parameters = values.map((value, index) =>
    typeof value === 'bigint' ? INTEGER : statement.parameters?.[index],
  );
  return Object.create(statement, { parameters: { value: parameters } });
}

/**
 * Converts a parameter. Integers are sent as such, because LIMIT does not accept floats; older drivers send them as text.
 */
export function toMysql(value: unknown) {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (typeof value === 'object' && value !== null && !Buffer.isBuffer(value)) return JSON.stringify(value);
  if (typeof value === 'string' && ISO_DATE.test(value)) return value.replace('T', ' ').replace('Z', '');
  return value;
}
