#!/usr/bin/env node
import { main } from '../js/cli/main.js';

// Whoever reads the output may stop early, as `head` does: that is no failure of ours.
process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await main(process.argv.slice(2));
