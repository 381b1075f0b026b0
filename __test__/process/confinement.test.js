import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { TGP } from '../../index.js';
import { workers } from '../../tools/workers.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { tempRoot } from '../helpers/temp_root.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const [addon] = readdirSync(ROOT).filter((name) => /^tgp\..*\.node$/.test(name));

/** The report of the worker's executable about an attempt under confinement, or the signal that killed it. */
async function probe(attempt) {
  try {
    const { stdout } = await run(`${ROOT}tgp-sandbox`, [`${ROOT}${addon}`, '--probe', attempt]);
    return JSON.parse(stdout);
  } catch (error) {
    return { outcome: error.signal };
  }
}

describe.runIf(process.platform === 'linux')('THREAT: guest code that has broken out of V8', () => {
  it('is fully confined on this machine', async () => {
    const { confinement } = await probe('nothing');
    expect(confinement).toMatchObject({
      noNewPrivileges: 'active',
      capabilities: 'active',
      landlock: 'active',
      seccomp: 'active',
      resourceLimits: 'active',
    });
  });

  for (const attempt of ['read', 'write', 'list', 'remove']) {
    it(`cannot reach files: ${attempt}`, async () => {
      expect((await probe(attempt)).outcome).toMatch(/os error 38/);
    });
  }

  for (const attempt of ['connect', 'listen', 'datagram', 'execute']) {
    it(`is killed when it uses the network or a program: ${attempt}`, async () => {
      expect((await probe(attempt)).outcome).toBe('SIGSYS');
    });
  }

  it('cannot allocate more memory than its limit plus a constant', async () => {
    expect((await probe('memory')).outcome).toMatch(/memory allocation failed/);
  });

  for (const attempt of ['thread', 'shared-mapping', 'growing-mapping', 'shared-segment']) {
    it(`cannot get around its limits: ${attempt}`, async () => {
      expect((await probe(attempt)).outcome).toMatch(/os error (?:11|38)/);
    });
  }

  for (const attempt of ['process', 'memory-file']) {
    it(`is killed when it tries to exceed its limits: ${attempt}`, async () => {
      expect((await probe(attempt)).outcome).toBe('SIGSYS');
    });
  }

  it('may map private memory, as V8 needs it', async () => {
    expect((await probe('private-mapping')).outcome).toBe('allowed');
  });

  it('runs in a process that the kernel confines: filter, privileges, capabilities and limits', async () => {
    const { forge } = await createKernel({ sandbox: { workers: 1 } });
    await forge('return 1');
    const pids = workers();
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) {
      for (const task of readdirSync(`/proc/${pid}/task`)) {
        const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
        expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
        expect(status).toMatch(/^Seccomp:\s+2$/m);
        expect(status).toMatch(/^CapEff:\s+0+$/m);
      }
      const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
      expect(limits).toMatch(/^Max core file size +0 +0 /m);
      expect(limits).toMatch(/^Max file size +0 +0 /m);
      expect(limits).toMatch(/^Max open files +3 +3 /m);
      expect(limits).toMatch(/^Max processes +0 +0 /m);
      expect(Number(/^Max data size +(\d+)/m.exec(limits)?.[1])).toBeLessThan(600 << 20);
    }
  });

  it('gets a higher data limit from the host only', async () => {
    const { forge } = await createKernel({ sandbox: { workers: 1 } });
    const source =
      'const a = []; for (let i = 0; i < args.mb; i++) a.push(new Uint8Array(1 << 20).fill(1)); return a.length';
    expect((await forge(source, { mb: 700 }, { memoryMb: 1024, timeoutMs: 10_000 })).result).toBe(700);
    await expect(forge(source, { mb: 700 }, { timeoutMs: 10_000 })).rejects.toMatchObject({
      code: 'ERR_ISOLATE_MEMORY',
    });
  });
});

describe('confinement()', () => {
  it('reports the confinement, without a warning if it is complete', async () => {
    const warnings = [];
    const logger = { debug() {}, info() {}, warn: (message) => warnings.push(message), error() {} };
    const kernel = new TGP({ config: { rootDir: await tempRoot(), sandbox: { warm: 0 } }, logger });
    const confinement = await kernel.confinement();
    expect(confinement).toMatchObject({ isolation: 'process' });
    if (process.platform === 'linux')
      expect(confinement).toMatchObject({ seccomp: 'active', noNewPrivileges: 'active' });
    await kernel.shutdown();
    const isIncomplete = Object.values(confinement).some((state) => state === 'missing' || state === 'partial');
    expect(warnings.length).toBe(isIncomplete ? 1 : 0);
    await expect(kernel.confinement()).rejects.toMatchObject({ code: 'ERR_SHUTDOWN' });
  });

  it('reports none for threads', async () => {
    const { kernel } = await createKernel({ sandbox: { isolation: 'thread' } });
    expect(await kernel.confinement()).toMatchObject({ isolation: 'thread', seccomp: 'missing', landlock: 'missing' });
  });

  for (const isolation of /** @type {const} */ (['process', 'thread'])) {
    it(`reports the linked V8: ${isolation}`, async () => {
      const { kernel } = await createKernel({ sandbox: { isolation } });
      const { engine } = await kernel.confinement();
      expect(engine.version).toMatch(/^15\.2\.\d+\.\d+/);
      const { pointerCompression, sandbox } = engine;
      // The platform of the archive in vendor/v8.
      const built = process.platform === 'linux' && process.arch === 'x64';
      expect({ pointerCompression, sandbox }).toEqual({
        pointerCompression: built,
        sandbox: built ? 'active' : 'missing',
      });
    });
  }

  it.runIf(process.platform === 'linux' && process.arch === 'x64')(
    "reports V8's sandbox as partial if the address space is limited",
    async () => {
      const source = `
        import { TGP } from ${JSON.stringify(new URL('../../index.js', import.meta.url).href)};
        const kernel = new TGP({ config: { rootDir: process.argv[1], sandbox: { warm: 0 } } });
        const { engine } = await kernel.confinement();
        process.stdout.write(JSON.stringify(engine));
        await kernel.shutdown();`;
      const script = 'ulimit -v 1000000000; exec "$0" --input-type=module -e "$1" "$2"';
      const { stdout } = await run('bash', ['-c', script, process.execPath, source, await tempRoot()]);
      expect(JSON.parse(stdout)).toMatchObject({ pointerCompression: true, sandbox: 'partial' });
    },
  );
});
