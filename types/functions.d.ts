import type { z } from 'zod';

/** A function of the application that says what it does and takes. */
export type DescribedFunction = {
  /** What it does, for models. */
  description?: string;
  /**
   * What its one argument must be: a schema of zod 4, or a JSON Schema. Without it `execute` gets whatever the tool passes.
   */
  parameters?: z.ZodType | Record<string, unknown>;
  /** That it changes nothing, so that a dry run may call it. Default: `false`. */
  readOnly?: boolean;
  execute(this: HostCall, ...args: any[]): any;
};

/** A function of the application that tools may call. */
export type SandboxFunction = ((this: HostCall, ...args: any[]) => any) | DescribedFunction;

/** What is known of a function of the application. */
export type FunctionGuide = {
  name: string;
  description?: string;
  /** What its one argument must be, as JSON Schema. */
  parameters?: Record<string, any>;
};

/** What a function of `sandboxAPI` finds in `this`. */
export type HostCall = {
  /** Fires when the run has ended, for whatever reason, or is aborted. Pass it on to what takes long. */
  readonly signal: AbortSignal;
};
