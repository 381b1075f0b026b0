/** The files that `tgp init` writes whatever the application is. */

export const CONFIG = `import { defineTGPConfig } from '@tgp/core';

export default defineTGPConfig({
  // The agent's root: a Git repository of its own, with the tools in tools/.
  rootDir: './.tgp',
  sandbox: {
    memoryMb: 64,
    timeoutMs: 50,
  },
});
`;

/** The name has no extension: \`import()\` is the one form that works whether Node takes it for ESM or for CommonJS. */
export const SHIM = `#!/usr/bin/env node
import('@tgp/core/cli');
`;

export const EXAMPLE_TOOL = `/** Greets everyone by name. */
export default function (args: { names: string[]; greeting: string }): string[] {
  return args.names.map((name) => \`\${args.greeting}, \${name}!\`);
}
`;
