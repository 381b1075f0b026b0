#!/usr/bin/env node
import { inspect } from 'node:util';
import { main } from '../js/cli/main.js';
import { err } from '../js/cli/output.js';

// A defect stays loud, and its message may be anybody's text.
process.on('uncaughtException', (error) => {
  err(`${inspect(error)}\n`);
  process.exit(1);
});

// Whoever reads the output may stop early, as `head` does: that is no failure of ours.
process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  process.exit();
});

const exitCode = await main(process.argv.slice(2));
// What a config file has opened for its functions is no reason to stay, once all that was written is out.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(exitCode);
