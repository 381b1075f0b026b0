import { defineConfig } from 'vitest/config';

/** Files that run with nothing beside them, each with the reason. All others run side by side. */
const ALONE = [
  // Compares how long a good tool waits with how long all bombs take, and the memory of its process before and after them.
  '__test__/sandbox/kill_matrix.test.js',
  // Compares the peak memory of a server with its idle memory: a collector that gets no processor frees late.
  '__test__/mcp/hostile_http.test.js',
  // The same, over standard input.
  '__test__/mcp/hostile_stdio.test.js',
  // Whether a connection is kept depends on how soon the rest of a row of 600 MB has been read.
  '__test__/sql/hostile_server.test.js',
  // Compares what four processes get of one remote: beside others they get too few writes to be compared.
  '__test__/git/fair_share.test.js',
];

/** What takes minutes by its nature: `npm run test:long`. */
const LONG = '__test__/long/**/*.test.js';
const isLong = process.env.TGP_LONG_TESTS !== undefined;

export default defineConfig({
  test: {
    // Processes, not threads: tests load a native addon, change folders and send signals.
    pool: 'forks',
    // A stop for what hangs, not a measure: tests start dozens of processes, beside others that do the same.
    testTimeout: 240_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // Node imports the package as it is; Vite would transform all of it for every test file.
    server: { deps: { external: [/\/dist\//, /\/index\.js$/] } },
    globalSetup: ['__test__/helpers/global_setup.js'],
    projects: [
      {
        extends: true,
        test: {
          name: 'side by side',
          include: ['__test__/**/*.test.js'],
          exclude: [...ALONE, LONG],
          // More than processors: tests wait for programs, timers and workers.
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: isLong ? [...ALONE, LONG] : ALONE,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
