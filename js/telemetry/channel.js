import { channel } from 'node:diagnostics_channel';
import { CHANNEL } from './names.js';

/** Channels belong to the process, so the ESM and the CommonJS copy of this package have one in common. */
const calls = channel(CHANNEL);

export function hasListeners() {
  return calls.hasSubscribers;
}

/**
 * Tells of a call that has ended. What a listener throws, Node reports as an uncaught exception, later: it never comes here.
 * @param {import('../../types/telemetry.js').CallMessage} message
 */
export function publish(message) {
  if (calls.hasSubscribers) calls.publish(message);
}
