import { defineConfig } from 'vitest/config';

/** Tests of these folders may run two at a time: they wait for Git, for other programs and for themselves. */
const SIDE_BY_SIDE = [
  ...['agent', 'check', 'cli', 'config', 'dry_run', 'examples', 'fuzz', 'git', 'ledger', 'mcp', 'package', 'policy'],
  ...['registry', 'release', 'sdk', 'tests', 'upgrade', 'vfs'],
];
const TOGETHER = `__test__/{${SIDE_BY_SIDE.join(',')}}/**/*.test.js`;

export default defineConfig({
  test: {
    // Processes, not threads: tests load a native addon, change folders and send signals.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { name: 'side by side', include: [TOGETHER], maxWorkers: 2, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        // They count memory, processors or processes of the machine, and must not be disturbed.
        test: {
          name: 'alone',
          include: ['__test__/**/*.test.js'],
          exclude: [TOGETHER],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
