import { defineTGPConfig } from '@tgp/core';

export default defineTGPConfig({
  // The agent's root: a Git repository of its own, with the tools in tools/.
  rootDir: './.tgp',
  sandbox: {
    memoryMb: 64,
    timeoutMs: 50,
  },
});
