/** The result of `test_tool` for a model. */

import { firstThatFit, Page } from '../tool_shape/pages.js';
import { beginning, jsonLength } from '../tool_shape/preview.js';
import type { TestResult } from '../types/tests.js';

/** A page of cases, those that failed first. */
export function testPage({ files: _, text, cases, tests, ...rest }: TestResult): Page {
  return new Page((maxChars) => {
    const answer = { ...rest, text, cases, tests };
    if (jsonLength(answer, maxChars) <= maxChars) return answer;
    const sorted = [...cases.filter(({ ok }) => !ok), ...cases.filter(({ ok }) => ok)];
    const shown = firstThatFit(sorted, maxChars / 4).kept;
    const notice = `${shown.length} of ${cases.length} cases are shown, those that failed first. Test one tool at a time.`;
    return {
      ...rest,
      text: beginning(text, maxChars / 4),
      cases: shown,
      tests: firstThatFit(tests, maxChars / 8).kept,
      notice,
    };
  });
}
