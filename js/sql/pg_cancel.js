import { guarded } from '../boundary/guarded.js';

/** A server that does not take the request to stop within this time will not take it at all. */
export const CANCEL_MS = 2_000;

/**
 * Asks the server, over a connection of its own, to stop what the client's backend is doing. Settles when the server has
 * passed it on, which it tells by closing that connection, or when it does not answer.
 * @param {any} client of `pg`
 * @returns {Promise<void>}
 */
export function cancelOnPg(client) {
  return new Promise((resolve) => {
    const { host, port, user, database, ssl, sslNegotiation, processID, secretKey } = client;
    const { connection } = new client.constructor({ host, port, user, database, ssl, sslNegotiation });
    const end = () => {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve();
    };
    const timer = setTimeout(guarded(end, end), CANCEL_MS);
    const send = guarded(end, () => connection.cancel(processID, secretKey));
    connection.on('error', guarded(end, end));
    connection.once('end', guarded(end, end));
    const requestSsl = guarded(end, () => connection.requestSsl());
    connection.once('connect', () => {
      if (!ssl) send();
      else if (sslNegotiation !== 'direct') requestSsl();
    });
    connection.once('sslconnect', send);
    if (host?.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}
