/** Fails if `dist/` is older than `js/`: a type check would report errors in files that use the package. */

import { staleBuild } from '../tools/built_sources.mjs';
import { StepFailed, whenStarted } from '../tools/process.mjs';

await whenStarted(import.meta.url, () => {
  const problem = staleBuild();
  if (problem !== undefined) throw new StepFailed(problem);
});
