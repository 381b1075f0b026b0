import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { probe } from '../helpers/host_probe.js';
import { bootFrom, goodPack, isAlive, serve, sshStandIn } from '../helpers/hostile_remote.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

const MAX_MB = 200;
const MB = 1 << 20;
/** Far below the limit of a boot, far above the duration of a boot that is cut short. */
const SOON_MS = 15_000;

/** @param {() => boolean} isTrue */
async function eventually(isTrue) {
  for (let attempt = 0; attempt < 200 && !isTrue(); attempt++) await new Promise((done) => setTimeout(done, 50));
  return isTrue();
}

describe('the program ssh', () => {
  it('that never answers is ended after git.timeoutMs, with its child processes', async () => {
    const folder = await tempRoot();
    const env = sshStandIn(folder, `sleep 1000 & echo $! > "${folder}/grandchild"; echo $$ > "${folder}/child"; wait`);
    const { error, ms } = await bootFrom('git@host.example:remote.git', { timeoutMs: 5000 }, env);
    expect(error).toMatchObject({ code: 'ERR_GIT' });
    expect(ms).toBeLessThan(SOON_MS);
    for (const name of ['child', 'grandchild']) {
      const pid = Number(readFileSync(join(folder, name), 'utf8'));
      expect(await eventually(() => !isAlive(pid)), name).toBe(true);
    }
  });

  it('gets only the variables it needs from the environment, and no token', async () => {
    const folder = await tempRoot();
    const { pack, tip } = goodPack();
    const { env } = await serve('ssh', pack, tip);
    const inner = env.GIT_SSH;
    const outer = sshStandIn(folder, `env > "${folder}/env"; exec "${inner}" "$@"`);
    const secrets = {
      TGP_GIT_TOKEN: 'tok_one',
      TGP_GITHUB_TOKEN: 'tok_two',
      SOME_API_KEY: 'tok_three',
      NODE_OPTIONS: '',
    };
    const report = await bootFrom(
      'git@host.example:remote.git',
      {},
      { ...outer, ...secrets, SSH_AUTH_SOCK: '/agent', LC_ALL: 'C' },
    );
    expect(report.error).toBeNull();
    const seen = readFileSync(join(folder, 'env'), 'utf8');
    expect(seen).not.toMatch(/tok_|API_KEY|TGP_/);
    for (const line of [`PATH=${process.env.PATH}`, `HOME=${process.env.HOME}`, 'SSH_AUTH_SOCK=/agent', 'LC_ALL=C']) {
      expect(seen.split('\n')).toContain(line);
    }
  });

  it.skipIf(process.platform !== 'linux')('does not outlive a killed host', async () => {
    const folder = await tempRoot();
    const env = sshStandIn(folder, `echo $$ > "${folder}/child"; exec sleep 1000`);
    const { child, ended } = startProgram(
      folder,
      `
        const kernel = new TGP({ config: { rootDir: './root', git: { repo: 'git@host.example:r.git' }, sandbox: { warm: 0 } } });
        await kernel.boot();
      `,
      env,
    );
    expect(await eventually(() => existsSync(join(folder, 'child')))).toBe(true);
    const pid = Number(
      await eventually(() => readFileSync(join(folder, 'child'), 'utf8') !== '').then(() =>
        readFileSync(join(folder, 'child'), 'utf8'),
      ),
    );
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGKILL');
    await ended;
    expect(await eventually(() => !isAlive(pid))).toBe(true);
  });

  it('that sends garbage or ends early is an error', async () => {
    const folder = await tempRoot();
    for (const body of ['yes', 'yes 0005x', 'printf 00', 'exit 0', 'kill -9 $$', 'head -c 100000 /dev/urandom']) {
      const { error, peakMb } = await bootFrom(
        'git@host.example:remote.git',
        { timeoutMs: 20_000 },
        sshStandIn(folder, body),
      );
      expect(error, body).toMatchObject({ code: 'ERR_GIT' });
      expect(peakMb, body).toBeLessThan(MAX_MB);
    }
  });

  it('leaves no process, thread or descriptor after many boots', async () => {
    const { pack, tip } = goodPack();
    const remote = await serve('ssh', pack, tip);
    // A unique name: other tests run ssh at the same time.
    const host = `${randomUUID()}.example`;
    const report = await probe(
      { rootDir: join(await tempRoot(), 'root'), git: { repo: remote.repo.replace('host.example', host) } },
      {
        env: remote.env,
        work: `
          const { readdirSync } = await import('node:fs');
          const count = () => ['task', 'fd'].map((name) => readdirSync('/proc/self/' + name).length);
          for (let index = 0; index < 3; index++) await kernel.git.hydrate();
          await new Promise((done) => setTimeout(done, 300));
          const before = count();
          for (let index = 0; index < 10; index++) await kernel.git.hydrate();
          let after = count();
          for (let attempt = 0; attempt < 200 && after.some((found, at) => found > before[at] + 1); attempt++) {
            await new Promise((done) => setTimeout(done, 50));
            after = count();
          }
          return { before, after };
        `,
      },
    );
    const { before, after } = /** @type {any} */ (report.value);
    expect(after[0]).toBeLessThanOrEqual(before[0] + 1);
    expect(after[1]).toBeLessThanOrEqual(before[1] + 1);
    expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8', maxBuffer: 64 * MB })).not.toContain(host);
  });
});
