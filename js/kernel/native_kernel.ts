/** Creates the native kernel. */

import type { BindingKernel } from '../../binding.cjs';
import { guarded } from '../boundary/guarded.js';
import { native } from '../boundary/native.js';
import type { NativeKernel } from '../boundary/typed_native.js';
import type { Logger } from '../types/kernel.js';
import type { HostFunctions } from './functions/host_functions.js';
import type { OpenRuns } from './runs/open_runs.js';

type Callbacks = ConstructorParameters<typeof BindingKernel>;
type OnCall = Callbacks[3];
type OnEnd = Callbacks[4];

/** No nested runs. */
const ALONE: number[] = [];

/**
 * A native kernel before its boot. It calls `functions` for guests, and reports the end of runs to `runs`. The native part keeps
 * strong references to its callbacks, so these hold `functions`, which may reference the whole application, only weakly.
 */
export function createNativeKernel(functions: HostFunctions, runs: OpenRuns, log: Logger): NativeKernel {
  const fail = (error: unknown) => log.error('A call from the native part failed.', error);
  const weakFunctions = new WeakRef(functions);
  let itself: WeakRef<NativeKernel>;
  const answer = (...args: Parameters<NativeKernel['answer']>) => itself.deref()?.answer(...args);
  const kernel = new (native().BindingKernel)(
    functions.names,
    functions.dryNames,
    functions.sqlDialect,
    guarded<Parameters<OnCall>>(fail, (id, runId, contextId, callerId, nesting, kind, name, args) =>
      weakFunctions
        .deref()
        ?.serve({ id, runId, contextId, callerId, nesting: nesting ?? ALONE, kind, name, args }, answer),
    ),
    guarded<Parameters<OnEnd>>(fail, (runId, value, error) => runs.end(runId, value, error)),
  );
  itself = new WeakRef(kernel);
  return kernel;
}
