/** Templates of files that `tgp init` writes into every application. */

import type { Driver } from './databases.js';
import { READ_ONLY } from './databases.js';

/** The config file. Its database is used by agents, `tgp exec` and `tgp mcp`. */
export function configText(driver: Driver | undefined) {
  const sql = `  // ${READ_ONLY}
  sql: { source: ${driver?.open}, readOnly: true },
`;
  return `import { defineTGPConfig } from '@tgp/core';
${driver ? `${driver.imports}\n` : ''}
export default defineTGPConfig({
  // The agent's root: a Git repository of its own, with the tools in tools/.
  rootDir: './.tgp',
  sandbox: {
    memoryMb: 64,
    timeoutMs: 50,
  },
${driver ? sql : ''}});
`;
}

/** The file has no extension: `import()` works whether Node loads it as ESM or as CommonJS. */
export const SHIM = `#!/usr/bin/env node
import('@tgp/core/cli');
`;

/** The source of the example tool. */
export const EXAMPLE_TOOL = `/** Greets everyone by name. */
export default function (args: { names: string[]; greeting: string }): string[] {
  return args.names.map((name) => \`\${args.greeting}, \${name}!\`);
}
`;
