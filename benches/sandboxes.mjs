/**
 * The same job in each sandbox: JSON in, a function body, JSON out, in a fresh realm, within 64 MB and the given time if the
 * sandbox has such limits. Peers get all help that an application can give (compiling once, a timer that discards the sandbox).
 */

import vm from 'node:vm';
import { createKernel } from './kernel.mjs';
import { node24, peer } from './peers.mjs';

const MEMORY_MB = 64;
/** The application's timeout for a peer without its own limit, after the run's time. */
const GRACE_MS = 3000;
/** For sandboxes that measure wall-clock time including startup, 50 ms would end valid runs. */
const MIN_MS = 1000;

/**
 * @typedef {{ timeoutMs: number, async: boolean }} Job `async` when the body awaits or returns a promise
 * @typedef {(args: string) => unknown} Run takes and gives JSON
 * @typedef {{ prepare: (body: string, job: Job) => Run | Promise<Run>, close: () => unknown }} Sandbox
 * @typedef {{ open: () => Promise<Sandbox>, peer?: import('./peers.mjs').Peer, node?: () => string, flags?: string[] }} Entry
 */

/** @param {string} body @param {boolean} async the expression of a function from JSON to JSON */
const jsonFunction = (body, async) => {
  const inner = `(${async ? 'async ' : ''}function (args) { ${body} })(JSON.parse(text))`;
  return `(${async ? 'async ' : ''}function (text) { return JSON.stringify(${async ? 'await ' : ''}${inner}) ?? 'null' })`;
};

/**
 * @template T
 * @param {Promise<T>} work
 * @param {number} timeoutMs
 * @param {() => unknown} giveUp
 * @returns {Promise<T>}
 */
async function withinWall(work, timeoutMs, giveUp) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => {
      fail(new Error('gave up waiting'));
      giveUp();
    }, timeoutMs + GRACE_MS);
  });
  work.catch(() => {});
  try {
    return /** @type {T} */ (await Promise.race([work, late]));
  } finally {
    clearTimeout(timer);
  }
}

/** @param {'process' | 'thread'} isolation @returns {Promise<Sandbox>} */
async function ours(isolation) {
  const { kernel, write, close } = await createKernel({}, { isolation });
  let count = 0;
  return {
    prepare: async (body, { timeoutMs }) => {
      const path = `tools/job${count++}.ts`;
      await write(path, body);
      return async (args) => {
        const { result } = await kernel.exec(path, JSON.parse(args), { timeoutMs });
        return JSON.stringify(result);
      };
    },
    close,
  };
}

/** @returns {Promise<any>} */
const isolatedVm = async () => (await peer('isolated-vm')).default;

/** @type {Record<string, Entry>} */
export const SANDBOXES = {
  '@tgp/core, process': { open: () => ours('process') },
  '@tgp/core, thread': { open: () => ours('thread') },
  'isolated-vm, fresh isolate': {
    peer: 'isolated-vm',
    node: node24,
    flags: ['--no-node-snapshot'],
    open: async () => {
      const ivm = await isolatedVm();
      return {
        prepare: (body, { timeoutMs, async }) => {
          const source = jsonFunction(body, async);
          return async (args) => {
            const isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
            const dispose = () => isolate.isDisposed || isolate.dispose();
            try {
              const context = await isolate.createContext();
              const call = `${source}(${JSON.stringify(args)})`;
              const run = context.eval(call, { timeout: timeoutMs, promise: async });
              return await withinWall(run, timeoutMs, dispose);
            } finally {
              dispose();
            }
          };
        },
        close: () => {},
      };
    },
  },
  'isolated-vm, reused isolate, fresh context': {
    peer: 'isolated-vm',
    node: node24,
    flags: ['--no-node-snapshot'],
    open: async () => {
      const ivm = await isolatedVm();
      let isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
      return {
        prepare: (body, { timeoutMs, async }) => {
          const source = jsonFunction(body, async);
          /** @type {any} */
          let script;
          return async (args) => {
            if (isolate.isDisposed) {
              isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
              script = undefined;
            }
            script ??= await isolate.compileScript(source);
            const context = await isolate.createContext();
            const entry = await script.run(context, { reference: true });
            const result = { promise: async, copy: true };
            const run = entry.apply(undefined, [args], { timeout: timeoutMs, result });
            const value = await withinWall(run, timeoutMs, () => isolate.isDisposed || isolate.dispose());
            entry.release();
            context.release();
            return value;
          };
        },
        close: () => isolate.isDisposed || isolate.dispose(),
      };
    },
  },
  'secure-exec': {
    peer: 'secure-exec',
    open: async () => {
      const { NodeRuntime, createNodeDriver, createNodeRuntimeDriverFactory } = await peer('secure-exec');
      const start = () =>
        new NodeRuntime({
          systemDriver: createNodeDriver(),
          runtimeDriverFactory: createNodeRuntimeDriverFactory(),
          memoryLimit: MEMORY_MB,
          cpuTimeLimitMs: MIN_MS,
        });
      let runtime = start();
      return {
        prepare: (body, { timeoutMs, async }) => {
          const source = jsonFunction(body, async);
          return async (args) => {
            const call = `module.exports = ${source}(${JSON.stringify(args)});`;
            // The shared process exits with its last user: release it first, then start again.
            const restart = () => {
              runtime.dispose();
              runtime = start();
            };
            const { exports, code, errorMessage } = await withinWall(runtime.run(call), timeoutMs, restart);
            if (code !== 0) throw new Error(errorMessage ?? `exit code ${code}`);
            return exports;
          };
        },
        close: () => runtime.terminate(),
      };
    },
  },
  'quickjs-emscripten': {
    peer: 'quickjs-emscripten',
    open: async () => {
      const { getQuickJS } = await peer('quickjs-emscripten');
      const quickjs = await getQuickJS();
      return {
        prepare: (body, { timeoutMs, async }) => {
          const source = jsonFunction(body, async);
          return (args) => {
            const deadline = Date.now() + timeoutMs;
            const runtime = quickjs.newRuntime({
              memoryLimitBytes: MEMORY_MB << 20,
              interruptHandler: () => Date.now() > deadline,
            });
            const context = runtime.newContext();
            try {
              const value = context.unwrapResult(context.evalCode(`${source}(${JSON.stringify(args)})`));
              if (!async) return context.getString(value);
              // A few jobs at a time: the deadline is checked between batches.
              while (runtime.hasPendingJob()) {
                if (Date.now() > deadline) throw new Error('interrupted');
                context.unwrapResult(runtime.executePendingJobs(1000));
              }
              const state = context.getPromiseState(value);
              if (state.type === 'pending') throw new Error('it never settles');
              return context.getString(context.unwrapResult(state));
            } finally {
              context.dispose();
              runtime.dispose();
            }
          };
        },
        close: () => {},
      };
    },
  },
  'run (Vercel)': {
    peer: 'run',
    open: async () => {
      const { createRunner } = await peer('run');
      const runner = createRunner({ limits: { memoryLimitBytes: MEMORY_MB << 20 } });
      return {
        prepare: (body, job) => async (args) => {
          const limits = { timeoutMs: Math.max(job.timeoutMs, MIN_MS) };
          const result = await runner.run({ source: `const args = ${args}; ${body}`, limits });
          if (result.status !== 'completed') throw new Error(result.status);
          return JSON.stringify(result.value) ?? 'null';
        },
        close: () => {},
      };
    },
  },
  'node:vm, fresh context (no isolation)': {
    open: async () => ({
      prepare: (body, { timeoutMs, async }) => {
        const script = new vm.Script(`${jsonFunction(body, async)}(input)`);
        return (args) => script.runInContext(vm.createContext({ input: args }), { timeout: timeoutMs });
      },
      close: () => {},
    }),
  },
};
