#!/usr/bin/env node
import { inspect } from 'node:util';
import { main } from '../dist/cli/main.js';
import { err } from '../dist/cli/terminal/output.js';

// A defect is printed and ends the process. Its message is untrusted text, so err() escapes it.
process.on('uncaughtException', (error) => {
  err(`${inspect(error)}\n`);
  process.exit(1);
});

// The reader of the output may close it early, as `head` does. That is not a failure.
process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error;
  process.exit();
});

const exitCode = await main(process.argv.slice(2));
// Exits after all output is flushed, even if the config file has left handles open.
await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))));
process.exit(exitCode);
