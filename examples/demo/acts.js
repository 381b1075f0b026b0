/** The acts of the demo: the request, and the scripted model's next step for each tool result. */

import { FIX, query } from './database_act.js';
import { FEE, FEE_TEST, gate, RATES } from './gate_act.js';
import { impact } from './graph_act.js';
import { expect, last, turn } from './turns.js';

/**
 * @typedef {import('./scripted_model.js').Turn} Turn
 * @typedef {import('./scripted_model.js').Decide} Decide
 * @typedef {{ title: string, prompt: string, steps: Decide[] }} Act
 */

const TOOL = 'tools/shipping/dim_weight.ts';
const RUNAWAY = 'tools/experiments/search_forever.ts';

/** One bracket too many, in line 5. */
const FIRST_DRAFT = `type Box = { length: number; width: number; height: number };

/** Dimensional weight: what a carrier bills for the room a box takes. */
export default function dimWeight(args: { boxes: Box[]; divisor: number }): number[] {
  const volumes = args.boxes.map((box) => box.length * box.width * box.height));
  return volumes.map((volume) => Math.ceil(volume / args.divisor));
}
`;

const RUNAWAY_SOURCE = `/** Looks for a number that does not exist. */
export default function searchForever(args: { start: number }): number {
  let candidate = args.start;
  while (candidate * 0 === 0) candidate += 1;
  return candidate;
}
`;

const SMALL = { length: 10, width: 20, height: 30 };
const LARGE = { length: 40, width: 40, height: 50 };
const DIVISOR = 139;

/** @type {Act} */
const forge = {
  title: 'Forge: no tool fits, so the model writes one, and repairs it from the diagnostic',
  prompt: 'What is the dimensional weight of boxes of 10x20x30 and 40x40x50 inches, divisor 139?',
  steps: [
    () => ({ say: 'Is there a tool for this already?', tool: 'list_files', input: { dir: 'tools' } }),
    (turns) => {
      expect(last(turns).output.length === 0, 'the new workspace is empty');
      return { say: 'No. I write one.', tool: 'write_file', input: { path: TOOL, content: FIRST_DRAFT } };
    },
    (turns) => {
      expect(last(turns).output.persisted === true, 'the draft is committed');
      return { say: 'Check it before running it.', tool: 'check_tool', input: { path: TOOL } };
    },
    (turns) => {
      const { valid, diagnostics } = last(turns).output;
      expect(valid === false && diagnostics.length > 0, 'the checker finds the mistake');
      const { line, message } = diagnostics[0];
      const search = lineOf(FIRST_DRAFT, line);
      const replace = withoutSurplusBracket(search);
      expect(search !== replace, `line ${line}, which the diagnostic names, is the wrong one`);
      return {
        say: `Line ${line}: ${message}. One bracket too many.`,
        tool: 'patch_file',
        input: { path: TOOL, search, replace },
      };
    },
    () => ({ say: 'Check again.', tool: 'check_tool', input: { path: TOOL } }),
    (turns) => {
      expect(last(turns).output.valid === true, 'the repaired tool is valid');
      const args = { boxes: [SMALL, LARGE], divisor: DIVISOR };
      return { say: 'Valid. Run it.', tool: 'exec_tool', input: { path: TOOL, args } };
    },
    (turns) => ({ say: `They bill as ${resultOf(turns, [44, 576]).join(' and ')} pounds.` }),
  ],
};

/** @type {Act} */
const extend = {
  title: 'Extend: a call that the tool does not take is refused before it runs; the model extends the tool',
  prompt: 'And a single box of 10x20x30?',
  steps: [
    () => ({
      say: 'The tool exists. I pass the one box as it is.',
      tool: 'exec_tool',
      input: { path: TOOL, args: { boxes: SMALL, divisor: DIVISOR } },
    }),
    (turns) => {
      const { success, code } = last(turns).output;
      expect(success === false && code === 'ERR_VALIDATION', 'the call is refused');
      return { say: 'It wants a list. Let me see the tool.', tool: 'read_file', input: { path: TOOL } };
    },
    (turns) => {
      const search = 'args.boxes.map';
      expect(last(turns).output.includes(search), 'the tool goes through its boxes');
      return {
        say: 'It should take one box as well as many.',
        tool: 'patch_file',
        input: { path: TOOL, search, replace: '[args.boxes].flat().map' },
      };
    },
    () => ({
      say: 'The type should say so too.',
      tool: 'patch_file',
      input: { path: TOOL, search: 'boxes: Box[];', replace: 'boxes: Box | Box[];' },
    }),
    () => ({ say: 'Check.', tool: 'check_tool', input: { path: TOOL } }),
    (turns) => {
      expect(last(turns).output.valid === true, 'the extended tool is valid');
      return { say: 'The same call again.', tool: 'exec_tool', input: turn(turns, 0).input };
    },
    (turns) => ({ say: `It bills as ${resultOf(turns, [44]).join()} pounds.` }),
  ],
};

/** @type {Act} */
const reuse = {
  title: 'Reuse: a new kernel on the same folder finds the tool and writes nothing',
  prompt: 'A carrier uses divisor 166. What is the dimensional weight of 40x40x50?',
  steps: [
    () => ({ say: 'Is there a tool for this already?', tool: 'list_files', input: { dir: 'tools' } }),
    (turns) => {
      const path = last(turns).output.find((/** @type {string} */ file) => file.includes('dim_weight'));
      expect(path === TOOL, 'the tool of the first kernel is there');
      return {
        say: 'Yes. Only the divisor differs, and that is an argument.',
        tool: 'exec_tool',
        input: { path, args: { boxes: LARGE, divisor: 166 } },
      };
    },
    (turns) => ({ say: `It bills as ${resultOf(turns, [482]).join()} pounds.` }),
  ],
};

/** @type {Act} */
const runaway = {
  title: 'Survive: a tool that never ends is stopped, and the next one runs',
  prompt: 'Find me a number that is not a number.',
  steps: [
    () => ({ say: 'I search for one.', tool: 'write_file', input: { path: RUNAWAY, content: RUNAWAY_SOURCE } }),
    () => ({ say: 'Run it.', tool: 'exec_tool', input: { path: RUNAWAY, args: { start: 1 } } }),
    (turns) => {
      const { success, code } = last(turns).output;
      expect(success === false && code === 'ERR_ISOLATE_TIMEOUT', 'the endless loop is stopped');
      const args = { boxes: SMALL, divisor: DIVISOR };
      return { say: 'Stopped. Does everything else still work?', tool: 'exec_tool', input: { path: TOOL, args } };
    },
    (turns) => ({ say: `Yes: ${resultOf(turns, [44]).join()} pounds, as before. There is no such number.` }),
  ],
};

/** Acts of the first kernel, of a second one on the same workspace, and of a third one with rules. */
export const ACTS = { first: [forge, extend, query], second: [reuse, runaway], third: [gate, impact] };

/** The commits expected in the history after all acts: one for every write. */
export const COMMITS = { [TOOL]: 4, [FIX]: 1, [RUNAWAY]: 1, [FEE]: 1, [FEE_TEST]: 1, [RATES]: 1 };

/**
 * @param {string} source
 * @param {number} line counted from 1
 */
function lineOf(source, line) {
  return source.split('\n')[line - 1] ?? '';
}

/** @param {string} line */
function withoutSurplusBracket(line) {
  const surplus = line.split(')').length - line.split('(').length;
  return surplus > 0 ? line.replace(')'.repeat(surplus + 1), ')') : line;
}

/**
 * @param {Turn[]} turns
 * @param {number[]} expected
 * @returns {number[]}
 */
function resultOf(turns, expected) {
  const { success, result } = last(turns).output;
  expect(success === true && JSON.stringify(result) === JSON.stringify(expected), `the result is ${expected}`);
  return result;
}
