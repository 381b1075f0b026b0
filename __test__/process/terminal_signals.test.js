import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { tempRoot } from '../helpers/temp_root.js';

const INDEX = new URL('../../index.js', import.meta.url).href;

/** Handles SIGINT and goes on, as a server does that shuts down gracefully. */
const PROGRAM = `
import { TGP } from ${JSON.stringify(INDEX)};
let hear;
const heard = new Promise((done) => (hear = done));
process.on('SIGINT', () => { console.log('heard'); hear(1); });
const kernel = new TGP({ config: { rootDir: '.tgp' }, sandboxAPI: { begun: async () => { console.log('begun'); return 1; }, heard: () => heard } });
const { result } = await kernel.run("await tgp.begun(); await tgp.heard(); await new Promise((done) => setTimeout(done, 500)); return 'whole'");
console.log(result);
await kernel.shutdown();
`;

test.skipIf(process.platform === 'win32')('Ctrl-C at a terminal does not kill the workers', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM];
  // A process group of its own, as a shell makes for each command.
  const child = spawn(process.execPath, args, { cwd: await tempRoot(), detached: true });
  child.stdout.once('data', () => process.kill(-Number(child.pid), 'SIGINT'));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(stdout, stderr).toBe('begun\nheard\nwhole\n');
});
