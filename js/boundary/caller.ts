/** Calls and the identity that they carry in JavaScript. */

import type { Approve } from '../types/policy.js';
import type { CallerKind, Caller as NativeCaller } from './crossing.js';

/** The caller: session, model, its kind and name, its approver, and the approver of the current call. */
export type Caller = Omit<NativeCaller, 'number' | 'parent' | 'approval'> & {
  approve?: Approve;
  answered?: () => Approve | undefined;
};

/** A call as it is recorded and traced. */
export type CallInfo = { tool: string; caller?: Caller; path?: string; effect?: string; args?: unknown };

/** Kinds of callers that work for a model, so that tests are required of them. */
const MODELS: readonly CallerKind[] = ['agent', 'mcp', 'tool'];

/** Whether a caller works for a model; others are people and the application. */
export function isForModel(caller: Caller | undefined) {
  return MODELS.some((kind) => kind === caller?.agent);
}
