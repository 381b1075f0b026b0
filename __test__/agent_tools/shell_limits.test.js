import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CAN_CONFINE, shellFolder } from '../helpers/shell_folder.js';

/**
 * The number of processes of this machine whose command line contains the marker.
 * @param {string} marker
 */
function processesWith(marker) {
  return readdirSync('/proc')
    .filter((id) => /^\d+$/.test(id))
    .filter((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(marker);
      } catch {
        return false;
      }
    }).length;
}

/** A number that is in no other command line of this machine. */
const newMarker = () => String(Math.floor(Math.random() * 1e9) + 1e9);

/** @param {() => boolean} isSo */
async function until(isSo) {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe.runIf(CAN_CONFINE)('A program that exceeds its limits', () => {
  it.each([
    ['does not end', { timeoutMs: 300 }, 'sleep 1000.MARK', 'timeoutMs'],
    ['computes without end', { cpuMs: 300 }, 'while :; do :; done # MARK', 'cpuMs'],
    [
      'multiplies',
      { processes: 40 },
      // At most 2^9 processes if it is not ended.
      'bomb() { [ $1 = 0 ] || { bomb $(($1 - 1)) & bomb $(($1 - 1)) & }; sleep 60.MARK; }; bomb 9',
      'processes',
    ],
    [
      'fills memory',
      { memoryMb: 64 },
      'head -c 60000000 /dev/zero | tail | tail & head -c 60000000 /dev/zero | tail | sleep 1000.MARK',
      'memoryMb',
    ],
    [
      'fills the disk',
      { folderMb: 1 },
      'i=0; while :; do head -c 500000 /dev/zero > $i; i=$((i+1)); done # MARK',
      'folderMb',
    ],
    ['makes files without end', { files: 50 }, 'i=0; while :; do : > $i; i=$((i+1)); done # MARK', 'folderMb'],
  ])('is ended when it %s', async (_, options, script, option) => {
    const marker = newMarker();
    const { sh, files } = await shellFolder({ 'a.txt': 'a' }, { approve: () => true, ...options });
    const answer = await sh(script.replaceAll('MARK', marker));
    expect(answer).toMatchObject({
      success: false,
      code: 'ERR_LIMIT',
      error: expect.stringContaining(`"${option}"`),
      applied: false,
    });
    expect(processesWith(marker)).toBe(0);
    expect(await files()).toEqual({ 'a.txt': 'a' });
  });

  it('fails a process that exceeds the shared memory limit', async () => {
    const { node } = await shellFolder({}, { memoryMb: 200 });
    const answer = await node('const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1));');
    expect(answer.success).toBe(false);
    expect(answer.stats.memoryBytes).toBeLessThan(400 << 20);
  });

  it('keeps the beginning and the end of a long output', async () => {
    const { sh } = await shellFolder({}, { outputBytes: 1_000, resultChars: 10_000 });
    const answer = await sh('echo first; head -c 50000000 /dev/zero | tr "\\0" x; echo; echo last; echo both >&2');
    expect(answer).toMatchObject({ success: true, stderr: 'both\n' });
    expect(answer.stdout).toMatch(/^first\nx+\n\[499990\d\d bytes are left out here\]\nx+\nlast\n$/);
    expect(answer.stdout.length).toBeLessThan(1_100);
  });

  it('leaves no background process and no daemon', async () => {
    const marker = newMarker();
    const { sh } = await shellFolder();
    const answer = await sh(
      `setsid true; (setsid sleep 1000.${marker} || (sleep 1000.${marker} > /dev/null 2>&1 &)); sleep 1000.${marker} & exit 0`,
    );
    expect(answer).toMatchObject({ success: true });
    expect(processesWith(marker)).toBe(0);
  });

  it('ends when the call is aborted', async () => {
    const marker = newMarker();
    const { run_program } = await shellFolder();
    const controller = new AbortController();
    const run = run_program.execute(
      { program: 'sh', args: ['-c', `(sleep 1000.${marker} &); sleep 1000.${marker}`] },
      { abortSignal: controller.signal },
    );
    const ended = expect(run).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    await until(() => processesWith(`sleep\0${1000}.${marker}`) >= 2);
    controller.abort();
    await ended;
    expect(processesWith(marker)).toBe(0);
  });

  it('ends when the application is killed', async () => {
    const marker = newMarker();
    const { cwd } = await shellFolder();
    const host = fileURLToPath(new URL('../helpers/shell_host.mjs', import.meta.url));
    const application = spawn(process.execPath, [host, cwd, marker], { stdio: 'ignore' });
    onTestFinished(() => void application.kill('SIGKILL'));
    await until(() => processesWith(`sleep\0${1000}.${marker}`) >= 2);
    application.kill('SIGKILL');
    await until(() => processesWith(marker) === 0);
  });

  it('reports the signal that ended it, and a failed start', async () => {
    const { sh, run_program } = await shellFolder({}, { readable: [] });
    expect(await sh('kill -SEGV $$')).toMatchObject({ success: false, signal: 11 });
    expect(await sh('exit 7')).toMatchObject({ success: false, exitCode: 7 });
    const broken = await shellFolder({ 'broken.sh': '#!/nowhere/sh\n' });
    expect(await broken.sh('cp broken.sh x')).toMatchObject({ success: false, exitCode: 0, code: 'ERR_APPROVAL' });
    expect(run_program.description).toContain('sh, node');
  });
});
