/** Kernel tools are listed in their tables alone: everything else derives its list from them. */

import { KERNEL_TOOL_FACTS } from '../../dist/boundary/kernel_tool_facts.js';
import { isTestFile, withoutTests } from './rust_source.js';

/** @typedef {import('./architecture_rules.js').Rule} Rule */

/** Names with an underscore: the others are common words. */
const NAMES = Object.keys(KERNEL_TOOL_FACTS)
  .filter((name) => name.includes('_'))
  .join('|');
/** A name as a literal or as the key of a member. */
const NAMED = new RegExp(`(['"\`])(${NAMES})\\1|^\\s*(${NAMES})\\??:`, 'gm');
/** Two names in a row, as in a list, a set or a pattern. */
const LIST = new RegExp(`(['"])(?:${NAMES})\\1\\s*[,|]\\s*\\(?(['"])(?:${NAMES})\\2`);
const MAX_NAMES = 2;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm;
const SOURCE = /^(?:js|src|crates|std|scripts)\//;

/** Where several names may be, with the reason. @type {[RegExp, string][]} */
const ALLOWED = [
  [/^src\/kernel\/door\/kernel_tools\.rs$|^js\/tool_shape\/agent_tool_table\.ts$/, 'the tables'],
  [/^js\/boundary\/(?:kernel_tool_facts|limits|crossing)\.ts$|^js\/prompt\/sandbox_api\.ts$/, 'generated'],
  [/^src\/binding\/binding_\w+\.rs$|^src\/kernel\/(?:files\/preview|reached|runs\/entered_run)\.rs$/, 'implementation'],
  [/^js\/agent_tools\/(?:tgp_tools|policy_calls)\.ts$/, 'implementation'],
  [
    /^js\/kernel\/(?:agent_access|tgp|tools\/tool_inspection|files\/kernel_git|runs\/(?:run_starter|runnable))\.ts$|^js\/types\/tools\.ts$/,
    'implementation',
  ],
  [/^js\/cli\/(?:agent\/agent_diff|commands\/change_commands)\.ts$/, 'implementation of commands'],
  [/^crates\/state\/src\/step\.rs$/, 'the steps of test-first work'],
  [/^src\/kernel\/config\/limit_table\.rs$|^scripts\/limits\.mjs$/, 'tools whose arguments have limits'],
  [
    /^src\/kernel\/runs\/(?:requests\/guest_call|outcome\/run_conclusion|sandbox_host)\.rs$|^std\/test_host\.ts$/,
    'functions of guests',
  ],
  [/^crates\/(?:sandbox|compile)\/src\//, 'functions of guests'],
];

/** @type {Rule[]} */
export const TOOL_NAME_RULES = [
  {
    name: 'kernel tools are listed in their tables alone',
    check: ({ path, text }) => {
      if (!SOURCE.test(path) || isTestFile(path) || ALLOWED.some(([place]) => place.test(path))) return [];
      const code = withoutTests(text).replace(COMMENT, '');
      const names = new Set([...code.matchAll(NAMED)].map(([, , literal, key]) => literal ?? key));
      return names.size > MAX_NAMES || LIST.test(code)
        ? [`lists kernel tools (${[...names].join(', ')}): derive the list from js/tool_shape/agent_tool_table.ts`]
        : [];
    },
    broken: [
      { path: 'js/agent/summary.ts', text: "const CHANGING = new Set(['write_file', 'move_file']);" },
      { path: 'js/mcp/tool_facts.ts', text: 'const A = {\n  list_files: 1,\n  read_file: 2,\n  write_file: 3,\n};' },
      {
        path: 'src/kernel/door/approvals/permanent_rule.rs',
        text: 'const NEVER: [&str; 2] = ["run_code", "accept_test"];',
      },
      { path: 'src/kernel/door/call_facts.rs', text: '"search_files" | "find_tool" => true,' },
    ],
    kept: [
      { path: 'js/agent/call_runner.ts', text: "if (call.tool === 'test_tool') return;" },
      {
        path: 'js/kernel/approvals/strictest_verdict.ts',
        text: "const ONE = { read: 'read_file', run: 'exec_tool' };",
      },
      { path: 'js/tool_shape/agent_tool_table.ts', text: "['write_file', 'move_file']" },
      { path: 'js/agent/a.ts', text: "// 'write_file', 'move_file'\n" },
      { path: '__test__/a.test.js', text: "['write_file', 'move_file']" },
    ],
  },
];
