/** Functions of the application that tools may call. */

import type { z } from 'zod';

/** A function of the application with a description and a parameter schema. */
export type DescribedFunction = {
  /** What it does, for models. */
  description?: string;
  /**
   * Schema of its single argument: a zod 4 schema or a JSON Schema. Without it `execute` gets whatever the tool passes.
   */
  parameters?: z.ZodType | Record<string, unknown>;
  /** Whether it changes nothing, so that a dry run may call it. Default: `false`. */
  readOnly?: boolean;
  execute(this: HostCall, ...args: any[]): any;
};

/** A function of the application that tools may call. */
export type SandboxFunction = ((this: HostCall, ...args: any[]) => any) | DescribedFunction;

/** Description of a function of the application. */
export type FunctionGuide = {
  name: string;
  description?: string;
  /** JSON Schema of its single argument. */
  parameters?: Record<string, any>;
};

/** `this` of a function of `sandboxAPI`. */
export type HostCall = {
  /** Fires when the run ends or is aborted. Pass it to long operations. */
  readonly signal: AbortSignal;
};
