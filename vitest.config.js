import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.js'],
    // Processes, not threads: tests load a native addon, change folders and send signals.
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
