/** `Temporal` of the sandbox, with all calendars; its `Intl.DateTimeFormat` formats Temporal values, too. */

import { Temporal, Intl as TemporalIntl, toTemporalInstant } from 'temporal-polyfill/full/implementation';

/** @param {any} realm */
export function build(realm) {
  const { DateTimeFormat } = TemporalIntl;
  Object.defineProperty(Intl, 'DateTimeFormat', { value: DateTimeFormat, writable: true, configurable: true });
  realm.toTemporalInstant = toTemporalInstant;
  realm.give('Temporal', Temporal);
}
