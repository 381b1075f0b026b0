/**
 * The application's OpenTelemetry, where it has one.
 *
 * Its package is an optional peer that is loaded only once somebody has registered a provider, and all its copies in a process
 * share what is registered through one symbol. So a look at that symbol tells whether there is anything to do.
 */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PACKAGE_FOLDER } from '../package_folder.js';

/**
 * @typedef {typeof import('@opentelemetry/api')} Api
 * @typedef {'trace' | 'metrics'} Kind
 * @typedef {(error: unknown) => void} Fail hears of what a provider has thrown; must not throw itself
 * @typedef {{ api: Api, tracer: import('@opentelemetry/api').Tracer, fail: Fail }} Tracing
 */

const PACKAGE = '@opentelemetry/api';

/** Where every copy of version 1 keeps what is registered. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/**
 * What is registered for traces or metrics; nothing when nobody has.
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

/** What is made of a provider, for as long as it is the one that is registered. @template Made */
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

  /** Nothing when none is registered, or when its package cannot be found. */
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
 * The copy of the API that knows the provider: one that is newer than the copy that has registered it does not.
 * @param {Kind} kind
 * @param {object} provider
 * @param {string[]} folders where to look from, upwards
 * @returns {Api | undefined}
 */
export function findApi(kind, provider, folders) {
  for (const folder of folders) {
    try {
      /** @type {Api} */
      const api = createRequire(join(folder, 'package.json'))(PACKAGE);
      const known = kind === 'trace' ? api.trace.getTracerProvider() : api.metrics.getMeterProvider();
      if (known === provider) return api;
    } catch {
      // It is not there, or not for this Node.
    }
  }
  return undefined;
}

/** The application's before our own: a linked or nested package has other neighbours. */
function likelyFolders() {
  const program = process.argv[1];
  const folders = [PACKAGE_FOLDER];
  try {
    folders.unshift(process.cwd());
  } catch {
    // The folder is gone.
  }
  return program === undefined ? folders : [dirname(program), ...folders];
}
