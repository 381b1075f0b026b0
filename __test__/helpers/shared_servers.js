/**
 * PostgreSQL and MariaDB for a whole run of the tests: the main process starts a server when a test file first asks for it, and
 * stops it after the last test. A test file gets a database of its own in it.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { startServer } from '../../tools/database_server.mjs';

/** @typedef {'postgres' | 'mariadb'} Flavour */
/** @typedef {{ host: string, port: number, user: string, database: string }} Settings what drivers connect with */
/** @typedef {{ settings: Settings, port: number, stop: () => Promise<void> }} Database `stop` drops it */

/** The environment variable with the port of the process that starts the servers. */
export const BROKER = 'TGP_TEST_SERVERS';
const HOST = '127.0.0.1';

/**
 * Starts the broker, which starts the servers on demand.
 * @returns {Promise<{ port: number, stop: () => Promise<void> }>}
 */
export async function startBroker() {
  /** @type {Map<string, ReturnType<typeof startServer>>} */
  const servers = new Map();
  const broker = createServer((request, response) => {
    const name = /** @type {Flavour} */ ((request.url ?? '').slice(1));
    const server = servers.get(name) ?? startServer(name);
    servers.set(name, server);
    server.then(
      ({ port }) => response.end(String(port)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  broker.listen(0, HOST);
  await once(broker, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (broker.address());
  const stop = async () => {
    broker.close();
    broker.closeAllConnections();
    const started = await Promise.allSettled(servers.values());
    await Promise.all(started.map((server) => (server.status === 'fulfilled' ? server.value.stop() : undefined)));
  };
  return { port, stop };
}

/**
 * An empty database that no other test file uses.
 * @param {Flavour} flavour
 * @param {string} [name] of the database, where statements name it; default: a random one
 * @returns {Promise<Database>}
 */
export async function ownDatabase(flavour, name = `test_${randomBytes(6).toString('hex')}`) {
  const broker = process.env[BROKER];
  if (broker === undefined) throw new Error(`${BROKER} is not set: run the tests with Vitest and its configuration.`);
  const port = await askBroker(Number(broker), flavour);
  return flavour === 'postgres' ? postgresDatabase(port, name) : mariadbDatabase(port, name);
}

/**
 * Not `fetch`: tests replace and count it.
 * @param {number} port
 * @param {Flavour} flavour
 */
async function askBroker(port, flavour) {
  const sent = httpRequest({ host: HOST, port, path: `/${flavour}`, agent: false }).end();
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`${flavour} could not be started: ${answer}`);
  return Number(answer);
}

/**
 * The role has the name of the database, because drivers derive one from the other.
 * @param {number} port
 * @param {string} name
 * @returns {Promise<Database>}
 */
async function postgresDatabase(port, name) {
  const { default: pg } = await import(/** @type {any} */ ('pg'));
  /** @param {string[]} statements */
  const asOwner = async (...statements) => {
    const client = new pg.Client({ host: HOST, port, user: 'postgres', database: 'postgres' });
    await client.connect();
    try {
      for (const sql of statements) await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await asOwner(`CREATE ROLE "${name}" SUPERUSER LOGIN`, `CREATE DATABASE "${name}" OWNER "${name}"`);
  const stop = () => asOwner(`DROP DATABASE "${name}" WITH (FORCE)`, `DROP ROLE "${name}"`);
  return { settings: { host: HOST, port, user: name, database: name }, port, stop };
}

/**
 * @param {number} port
 * @param {string} name
 * @returns {Promise<Database>}
 */
async function mariadbDatabase(port, name) {
  const { default: mysql } = await import('mysql2/promise');
  /** @param {string} sql */
  const asOwner = async (sql) => {
    const connection = await mysql.createConnection({ host: HOST, port, user: 'root' });
    try {
      await connection.query(sql);
    } finally {
      await connection.end();
    }
  };
  await asOwner(`CREATE DATABASE \`${name}\``);
  return {
    settings: { host: HOST, port, user: 'root', database: name },
    port,
    stop: () => asOwner(`DROP DATABASE \`${name}\``),
  };
}
