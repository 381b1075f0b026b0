import { channel } from 'node:diagnostics_channel';
import { CHANNEL } from './names.js';

/** A channel of the process, shared by the ESM and the CommonJS copy of this package. */
const calls = channel(CHANNEL);

export function hasListeners() {
  return calls.hasSubscribers;
}

/**
 * Publishes a completed call. Node reports errors of subscribers later, as uncaught exceptions.
 * @param {import('../../types/telemetry.js').CallMessage} message
 */
export function publish(message) {
  if (calls.hasSubscribers) calls.publish(message);
}
