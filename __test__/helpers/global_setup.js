/** What all test files of a run share; Vitest calls it once before them. */

import { BROKER, startBroker } from './shared_servers.js';

export async function setup() {
  const { port, stop } = await startBroker();
  process.env[BROKER] = String(port);
  return stop;
}
