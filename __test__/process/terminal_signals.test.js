import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = new URL('../../index.js', import.meta.url).href;

/** Handles SIGINT and continues, as a server does that shuts down gracefully. */
const PROGRAM = `
import { TGP } from ${JSON.stringify(INDEX)};
let interrupt;
const interrupted = new Promise((done) => (interrupt = done));
process.on('SIGINT', () => { console.log('heard'); interrupt(1); });
const kernel = new TGP({ config: { rootDir: '.tgp' }, sandboxAPI: { begun: async () => { console.log('begun'); return 1; }, heard: () => interrupted } });
const { result } = await kernel.run("await tgp.begun(); await tgp.heard(); await new Promise((done) => setTimeout(done, 500)); return 'whole'");
console.log(result);
await kernel.shutdown();
`;

test.skipIf(process.platform === 'win32')('Ctrl-C at a terminal does not kill the workers', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM];
  // A separate process group, as a shell creates for each command.
  const child = spawn(process.execPath, args, { cwd: await tempRoot(), detached: true });
  child.stdout.once('data', () => process.kill(-Number(child.pid), 'SIGINT'));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(stdout, stderr).toBe('begun\nheard\nwhole\n');
});
