/** The identity that calls of tools carry in JavaScript. */

import type { Approve } from '../types/policy.js';
import type { Mode } from '../types/tests.js';

/** The caller: session, model and agent, its approver, and the approver of the current call. */
export type Caller = {
  session?: string;
  model?: string;
  agent?: string;
  id?: string;
  token?: string;
  approve?: Approve;
  dryRun?: boolean;
  mode?: Mode;
  answered?: () => Approve | undefined;
};
