/**
 * Access to the application's OpenTelemetry API.
 *
 * The package is an optional peer dependency. It is loaded only after a provider is registered. All copies of it in a process
 * share their registrations through one symbol, so checking that symbol is enough to know whether telemetry is on.
 */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';

/**
 * @typedef {typeof import('@opentelemetry/api')} Api
 * @typedef {'trace' | 'metrics'} Kind
 * @typedef {(error: unknown) => void} Fail receives errors of providers; must not throw
 * @typedef {{ api: Api, tracer: import('@opentelemetry/api').Tracer, fail: Fail }} Tracing
 */

const PACKAGE = '@opentelemetry/api';

/** The symbol under which every copy of version 1 stores its registrations. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * The registered provider of traces or metrics, if any.
 * @param {Kind} kind
 * @returns {object | undefined}
 */
export function registered(kind) {
  try {
    return /** @type {any} */ (globalThis)[REGISTERED]?.[kind];
  } catch {
    return undefined;
  }
}

/** A value created from the registered provider, recreated when the provider changes. @template Made */
export class PerProvider {
  #kind;
  #make;
  /** @type {object | undefined} */
  #provider;
  /** @type {Made | undefined} */
  #made;

  /**
   * @param {Kind} kind
   * @param {(api: Api) => Made | undefined} make must not throw
   */
  constructor(kind, make) {
    this.#kind = kind;
    this.#make = make;
  }

  /** Undefined if no provider is registered, or if its package cannot be found. */
  get() {
    const provider = registered(this.#kind);
    if (provider !== this.#provider) {
      this.#provider = provider;
      const api = provider && findApi(this.#kind, provider, likelyFolders());
      this.#made = api && this.#make(api);
    }
    return this.#made;
  }
}

/**
 * The copy of the API that has the provider. A newer copy than the registering one ignores it.
 * @param {Kind} kind
 * @param {object} provider
 * @param {string[]} folders to resolve the package from
 * @returns {Api | undefined}
 */
export function findApi(kind, provider, folders) {
  for (const folder of folders) {
    try {
      /** @type {Api} */
      const api = createRequire(join(folder, 'package.json'))(PACKAGE);
      const provided = kind === 'trace' ? api.trace.getTracerProvider() : api.metrics.getMeterProvider();
      if (provided === provider) return api;
    } catch {
      // The package is missing here, or does not support this Node version.
    }
  }
  return undefined;
}

/** Folders of the application before our own: a linked or nested package may resolve another copy. */
function likelyFolders() {
  const program = process.argv[1];
  const folders = [PACKAGE_FOLDER];
  try {
    folders.unshift(process.cwd());
  } catch {
    // The current folder was removed.
  }
  return program === undefined ? folders : [dirname(program), ...folders];
}
