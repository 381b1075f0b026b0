import { expect, test } from 'vitest';
import {
  betterSqlite3,
  executor,
  knex,
  mysql2,
  nodeSqlite,
  pg,
  postgresJs,
  prisma,
  sqlite,
  ValidationError,
} from '../../index.js';

/** @type {Record<string, (options: any) => unknown>} */
const ADAPTERS = {
  // @ts-expect-error It takes one argument.
  sqlite: (options) => sqlite(':memory:', options),
  // @ts-expect-error It takes one argument.
  pg: (options) => pg({}, options),
  // @ts-expect-error It takes one argument.
  mysql2: (options) => mysql2({}, options),
  // @ts-expect-error It takes one argument.
  prisma: (options) => prisma({}, options),
  betterSqlite3: (options) => betterSqlite3({}, options),
  nodeSqlite: (options) => nodeSqlite({}, options),
  postgresJs: (options) => postgresJs({}, options),
  knex: (options) => knex({ client: {} }, options),
  executor: (options) => executor(async () => [], options),
};

test.each(Object.entries(ADAPTERS))('%s refuses options that belong beside the source', (name, make) => {
  const attempt = () => make({ readOnly: true });
  expect(attempt).toThrow(ValidationError);
  expect(attempt).toThrow(
    `${name}() has no option "readOnly". Options of statements belong beside the source: new TGP({ sql: { source, readOnly: true } }), or createSqlTools(source, { readOnly: true }).`,
  );
});

test('sqlite refuses them beside the file too, and a second argument that is not an object', () => {
  const inside = /** @type {any} */ ({ file: ':memory:', readOnly: true });
  expect(() => sqlite(inside)).toThrow('sqlite() has no option "readOnly"');
  // @ts-expect-error It takes one argument.
  expect(() => sqlite(':memory:', true)).toThrow('sqlite() does not take this argument');
});
