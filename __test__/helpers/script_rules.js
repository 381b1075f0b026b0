/** The layers of js/: each folder imports only folders below it. */

import { posix } from 'node:path';

/** @typedef {import('./architecture_rules.js').Rule} Rule */

/** Folders that import only `boundary`: each does one job for the kernel. */
const PARTS = ['sql', 'files', 'bundle', 'types_check', 'prompt', 'tool_shape', 'telemetry'];

/**
 * From a folder to the folders that it may import. A kernel hands out its forged tools and its prompt itself, so both are
 * below it; the tools for agents are made of a kernel, so they are above.
 * @type {Record<string, string[]>}
 */
const BELOW = {
  types: [],
  boundary: [],
  ...Object.fromEntries(PARTS.map((part) => [part, ['boundary']])),
  forged: ['boundary', 'tool_shape'],
  programs: ['boundary', 'files'],
  kernel: ['boundary', ...PARTS, 'forged'],
  agent_tools: ['boundary', 'sql', 'tool_shape', 'programs', 'kernel'],
  agent: ['boundary', 'tool_shape', 'kernel', 'agent_tools'],
  mcp: ['boundary', 'tool_shape', 'kernel', 'agent_tools'],
  cli: ['boundary', 'sql', 'files', 'tool_shape', 'kernel', 'agent_tools', 'agent', 'mcp'],
};

/** Files that lie in js/ itself, each with the reason why it must. */
const LOOSE = {
  'js/index.ts': 'the export "." of the package',
  'js/mcp.ts': 'the export "./mcp" of the package',
  'js/next.ts': 'the export "./next" of the package',
  'js/package_folder.ts': 'as deep in the package as the CommonJS copy in dist/',
};

/** Files of commands that may write, each with the reason. */
const WRITERS = {
  'js/cli/terminal/output.ts': 'the writer',
  'js/cli/init/agent_templates.ts': 'text of programs that init makes',
};

/** Files without a comment on their subject at the top. The list may only shrink. */
const WITHOUT_HEADER = [
  /^js\/boundary\/crossing\.ts$/, // Generated.
  /^js\/agent_tools\/(?:checked_tool|kernel_tools|sdk_approvals|shell_tools|sql_tools|tool_call)\.ts$/,
  /^js\/tool_shape\/universal_schema\.ts$/,
  /^js\/types\/(?:policy|tools)\.ts$/,
];

/** Imports of code and of types. */
const IMPORTED = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** @param {string} path */
function folderOf(path) {
  return /^js\/(\w+)\//.exec(path)?.[1];
}

/** @type {Rule[]} */
export const SCRIPT_RULES = [
  {
    name: 'folders of js/ import only folders below them',
    check: ({ path, text }) => {
      const own = folderOf(path);
      if (own === undefined) return [];
      // The public types name those of implementations, and every folder may use them.
      if (own === 'types') return [];
      const allowed = [own, 'types', ...(BELOW[own] ?? [])];
      return [...text.matchAll(IMPORTED)]
        .map((match) => folderOf(posix.join(posix.dirname(path), match[1] ?? '')))
        .filter((used) => used !== undefined && !allowed.includes(used))
        .map((used) => `js/${own} must not import js/${used}`);
    },
    broken: [
      { path: 'js/boundary/errors.ts', text: "import { a } from '../kernel/config.js';" },
      { path: 'js/sql/rules.ts', text: "import { a } from '../kernel/option_schemas.js';" },
      { path: 'js/sql/adapters/pg.ts', text: "import { a } from '../../agent_tools/sql_tools.js';" },
      { path: 'js/sql/rules.ts', text: "import type { HostFunctions } from '../kernel/host_functions.js';" },
      { path: 'js/telemetry/telemetry.ts', text: "import { a } from '../kernel/logger.js';" },
      { path: 'js/forged/forged_tools.ts', text: "import { TGP } from '../kernel/tgp.js';" },
      { path: 'js/kernel/tgp.ts', text: "const { a } = await import('../agent_tools/tgp_tools.js');" },
      { path: 'js/mcp/server.ts', text: "import { a } from '../cli/screen.js';" },
      { path: 'js/unheard_of/a.ts', text: "import { a } from '../boundary/errors.js';" },
    ],
    kept: [
      { path: 'js/kernel/tgp.ts', text: "import { a } from '../sql/rules.js';\nimport { b } from './config.js';" },
      { path: 'js/sql/adapters/pg.ts', text: "import { a } from '../../boundary/errors.js';" },
      { path: 'js/boundary/native.ts', text: "import { a } from '../package_folder.js';" },
      { path: 'js/kernel/calls/kernel_calls.ts', text: "import { a } from '../telemetry/telemetry.js';" },
      { path: 'js/cli/main.ts', text: "await import('../../examples/demo/demo.js');" },
      { path: 'js/next.ts', text: "import { a } from './boundary/errors.js';" },
    ],
  },
  {
    name: 'commands write only by js/cli/terminal/output.ts, which escapes control characters',
    check: ({ path, text }) =>
      path.startsWith('js/cli/') && !Object.hasOwn(WRITERS, path)
        ? [...text.matchAll(/\b(?:stdout|stderr)\.write\b|\bconsole\.(?:log|info|warn|error|debug|dir|table)\b/g)].map(
            ([found]) => `uses ${found}: write by js/cli/terminal/output.ts`,
          )
        : [],
    broken: [
      { path: 'js/cli/commands/tool_commands.ts', text: 'process.stderr.write(message);' },
      { path: 'js/cli/terminal/screen.ts', text: 'const { stdout } = process; stdout.write(text);' },
      { path: 'js/cli/workspace/workspace.ts', text: 'warn: (message) => console.error(message),' },
    ],
    kept: [
      { path: 'js/cli/terminal/output.ts', text: 'process.stderr.write(shown(text));' },
      { path: 'js/cli/terminal/screen.ts', text: 'if (process.stdout.isTTY) out(text);' },
      {
        path: 'js/cli/commands/mcp.ts',
        text: 'globalThis.console = new console.Console(process.stderr, process.stderr);',
      },
    ],
  },
  {
    name: 'files of js/ begin with a comment on their subject',
    check: ({ path, text }) =>
      /^js\/.*\.ts$/.test(path) && !text.startsWith('/**') && !WITHOUT_HEADER.some((each) => each.test(path))
        ? ['begins without a comment: name its subject in one sentence']
        : [],
    broken: [
      { path: 'js/sql/rules.ts', text: "import { z } from 'zod';\n\n/** The rules. */\nexport class SqlRules {}" },
    ],
    kept: [
      {
        path: 'js/sql/rules.ts',
        text: "/** The classifier of the addon, with a cache. */\n\nimport { z } from 'zod';",
      },
    ],
  },
  {
    name: 'js/ itself has only files that must be there',
    check: ({ path }) =>
      /^js\/[^/]+$/.test(path) && !Object.hasOwn(LOOSE, path) ? ['lies in no folder: put it where it belongs'] : [],
    broken: [{ path: 'js/helpers.ts', text: '' }],
    kept: [
      { path: 'js/next.ts', text: '' },
      { path: 'js/kernel/tgp.ts', text: '' },
    ],
  },
];
