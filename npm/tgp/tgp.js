#!/usr/bin/env node
// In a project its own version, which its tools were made with; elsewhere the one that came along.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

let cli = '@tgp/core/cli';
try {
  cli = pathToFileURL(createRequire(join(process.cwd(), 'package.json')).resolve(cli)).href;
} catch {
  // The project has none.
}
await import(cli);
