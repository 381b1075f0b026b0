/** `URLPattern` of the sandbox. */

import { URLPattern } from 'urlpattern-polyfill/urlpattern';

/** @param {any} realm */
export function build(realm) {
  realm.tag('URLPattern', URLPattern);
  realm.give('URLPattern', URLPattern);
}
