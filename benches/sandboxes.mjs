/**
 * The same small job in each sandbox: take `{ n }` as JSON, give `n + 1` back as JSON, in a realm that no earlier run has
 * touched, within 50 ms and 64 MB where the sandbox has such limits.
 */

import vm from 'node:vm';
import { peer } from './peers.mjs';

const TIMEOUT_MS = 50;
const MEMORY_MB = 64;

/** A program whose completion value is the result as JSON. @param {string} body @param {string} args */
const program = (body, args) => `JSON.stringify((function (args) { ${body} })(${args})) ?? 'null'`;

/** @typedef {{ run: (body: string, args: string) => unknown, close?: () => unknown }} Sandbox */

/** @type {Record<string, () => Promise<Sandbox | undefined>>} */
export const SANDBOXES = {
  'isolated-vm, fresh isolate': async () => {
    const ivm = (await peer('isolated-vm'))?.default;
    if (!ivm) return undefined;
    return {
      run: async (body, args) => {
        const isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
        try {
          const context = await isolate.createContext();
          const script = await isolate.compileScript(program(body, args));
          return await script.run(context, { timeout: TIMEOUT_MS });
        } finally {
          if (!isolate.isDisposed) isolate.dispose();
        }
      },
    };
  },
  'isolated-vm, reused isolate, fresh context': async () => {
    const ivm = (await peer('isolated-vm'))?.default;
    if (!ivm) return undefined;
    let isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
    return {
      run: async (body, args) => {
        if (isolate.isDisposed) isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
        const context = await isolate.createContext();
        const script = await isolate.compileScript(program(body, args));
        const result = await script.run(context, { timeout: TIMEOUT_MS });
        context.release();
        return result;
      },
      close: () => isolate.isDisposed || isolate.dispose(),
    };
  },
  'node:vm, fresh context (no isolation)': async () => ({
    run: (body, args) => vm.runInNewContext(program(body, args), {}, { timeout: TIMEOUT_MS }),
  }),
  'quickjs-emscripten, fresh runtime': async () => {
    const module = await peer('quickjs-emscripten');
    if (!module) return undefined;
    const quickjs = await module.getQuickJS();
    return {
      run: (body, args) => {
        const deadline = Date.now() + TIMEOUT_MS;
        return quickjs.evalCode(program(body, args), {
          shouldInterrupt: () => Date.now() > deadline,
          memoryLimitBytes: MEMORY_MB << 20,
        });
      },
    };
  },
  'secure-exec 0.2.1': async () => {
    const module = await peer('secure-exec');
    if (!module) return undefined;
    const { NodeRuntime, createNodeDriver, createNodeRuntimeDriverFactory } = module;
    const runtime = new NodeRuntime({
      systemDriver: createNodeDriver(),
      runtimeDriverFactory: createNodeRuntimeDriverFactory(),
      memoryLimit: MEMORY_MB,
      // Its clock runs while the runtime starts, which alone takes most of 50 ms.
      cpuTimeLimitMs: 1000,
    });
    return {
      run: async (body, args) => {
        const { exports, code, errorMessage } = await runtime.run(`module.exports = ${program(body, args)};`);
        if (code !== 0) throw new Error(errorMessage ?? `exit code ${code}`);
        return exports;
      },
      close: () => runtime.terminate(),
    };
  },
};
