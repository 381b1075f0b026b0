/** Cancels statements of pg. */

import { guarded } from '../../boundary/guarded.js';
import type { PgClient } from '../drivers.js';

/** Timeout of a cancel request. */
export const CANCEL_MS = 2_000;

/**
 * Sends a cancel request for the client's backend over a separate connection. Settles when the server has closed that connection,
 * which means that it has processed the request, or after a timeout.
 */
export function cancelOnPg(client: PgClient): Promise<void> {
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
