/**
 * Access to the application's OpenTelemetry API.
 *
 * The package is an optional peer dependency. It is loaded only after a provider is registered. All copies of it in a process
 * share their registrations through one symbol, so checking that symbol is enough to know whether telemetry is on.
 */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Tracer } from '@opentelemetry/api';
import { PACKAGE_FOLDER } from '../package_folder.js';

type Api = typeof import('@opentelemetry/api');
type Kind = 'trace' | 'metrics';
/** Receives errors of providers; must not throw. */
export type Fail = (error: unknown) => void;
/** A tracer of the application. */
export type TracerAccess = { api: Api; tracer: Tracer; fail: Fail };

const PACKAGE = '@opentelemetry/api';

/** The symbol under which every copy of version 1 stores its registrations. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** The registered provider of traces or metrics, if any. */
export function registered(kind: Kind): object | undefined {
  try {
    return (globalThis as { [REGISTERED]?: Partial<Record<Kind, object>> })[REGISTERED]?.[kind];
  } catch {
    return undefined;
  }
}

/** A value created from the registered provider, recreated when the provider changes. */
export class PerProvider<Made> {
  #kind;
  #make;
  #provider: object | undefined;
  #made: Made | undefined;

  /** @param make must not throw */
  constructor(kind: Kind, make: (api: Api) => Made | undefined) {
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
 * @param folders to resolve the package from
 */
export function findApi(kind: Kind, provider: object, folders: string[]): Api | undefined {
  for (const folder of folders) {
    try {
      const api: Api = createRequire(join(folder, 'package.json'))(PACKAGE);
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
