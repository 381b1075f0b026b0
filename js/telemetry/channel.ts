import { channel } from 'node:diagnostics_channel';
import type { CallMessage } from '../types/telemetry.js';
import { CHANNEL } from './names.js';

/** A channel of the process, shared by the ESM and the CommonJS copy of this package. */
const calls = channel(CHANNEL);

export function hasListeners() {
  return calls.hasSubscribers;
}

/** Publishes a completed call. Node reports errors of subscribers later, as uncaught exceptions. */
export function publish(message: CallMessage) {
  if (calls.hasSubscribers) calls.publish(message);
}
