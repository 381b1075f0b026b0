/** The graph act: the model looks up what depends on a tool before it answers. */

import { FEE, FEE_TEST } from './gate_act.js';
import { expect, last } from './turns.js';

/** @type {import('./acts.js').Act} */
export const impact = {
  title: 'Ask: what depends on a tool, from its imports, its tests and its runs',
  prompt: `Can I delete ${FEE}?`,
  steps: [
    () => ({ say: 'What depends on it?', tool: 'query_graph', input: { ask: 'impact', path: FEE } }),
    (turns) => {
      const { tests = [], runs = [] } = last(turns).output ?? {};
      expect(tests.includes(FEE_TEST), 'the graph knows the test of the tool');
      expect(runs.length > 0, 'the graph knows the runs of the tool');
      return { say: `Not without its test ${tests.join()}, and it is in use: its last run was a moment ago.` };
    },
  ],
};
