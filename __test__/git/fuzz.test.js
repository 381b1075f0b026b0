import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareRemote, clone, git } from '../helpers/git_remote.js';
import { advertisement, packAnswer, rawServer } from '../helpers/hostile_remote.js';
import { startProgram } from '../helpers/run_program.js';
import { tempRoot } from '../helpers/temp_root.js';

/** The number of mutated answers; TGP_FUZZ_ROUNDS sets more. */
const ROUNDS = Number(process.env.TGP_FUZZ_ROUNDS ?? 60);
const SEED = Number(process.env.TGP_FUZZ_SEED ?? 20_261_115);
const MAX_MB = 200;

/** A seeded random number generator. @param {number} seed */
function seededRandom(seed) {
  let state = seed >>> 0;
  /** @param {number} below */
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Bytes with random changes, cuts, duplicates and insertions.
 * @param {Buffer} bytes
 * @param {(below: number) => number} random
 */
function mutated(bytes, random) {
  let result = Buffer.from(bytes);
  for (let change = random(4); change >= 0; change--) {
    const at = random(result.length + 1);
    const length = random(random(10) === 0 ? 2000 : 8);
    const kind = random(6);
    if (kind === 0) result = result.subarray(0, at);
    else if (kind === 1) result = Buffer.concat([result.subarray(0, at), result.subarray(at + length)]);
    else if (kind === 2) result = Buffer.concat([result.subarray(0, at + length), result.subarray(at)]);
    else if (kind === 3)
      result = Buffer.concat([result.subarray(0, at), Buffer.alloc(length, random(256)), result.subarray(at)]);
    else for (let byte = at; byte < Math.min(at + length, result.length); byte++) result[byte] = random(256);
  }
  return result;
}

/** A mutated pack with a valid checksum, so that its content is read. @param {Buffer} pack */
function withChecksum(pack) {
  if (pack.length < 32) return pack;
  const body = pack.subarray(0, -20);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

const PROGRAM = `
  const { readFileSync, writeFileSync } = await import('node:fs');
  const { roots, repo } = JSON.parse(readFileSync(process.env.PROBE, 'utf8'));
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const outcomes = [];
  const kilobytes = (name) => Number(new RegExp(name + ':\\\\s+(\\\\d+)').exec(readFileSync('/proc/self/status', 'utf8'))[1]);
  const before = kilobytes('VmRSS');
  for (const [index, rootDir] of roots.entries()) {
    const config = { rootDir, git: { repo: repo + '/' + index + '.git', timeoutMs: 10000 }, sandbox: { warm: 0 } };
    const kernel = new TGP({ config, logger: silent });
    outcomes.push(await kernel.boot().then(() => 'booted', ({ code, message }) => code + ' ' + message));
    await kernel.shutdown();
  }
  const peakMb = Math.round((kilobytes('VmHWM') - before) / 1024);
  writeFileSync(process.env.RESULT, JSON.stringify({ outcomes, peakMb }));
`;

describe('randomly mutated answers of a real server', () => {
  it('end in a typed error or an intact repository, and the host survives', async () => {
    const random = seededRandom(SEED);
    const { folder, remote } = await bareRemote();
    const work = clone(folder, remote);
    for (let index = 0; index < 12; index++) {
      execFileSync('sh', ['-c', `mkdir -p ${work}/d && seq ${index} 300 > ${work}/d/f${index % 3}.txt`]);
      git(work, 'add', '-A');
      git(work, 'commit', '-q', '-m', `${index}`);
    }
    git(work, 'push', '-q', 'origin', 'HEAD:main');
    const tip = git(work, 'rev-parse', 'HEAD');
    const pack = execFileSync(
      'git',
      ['-C', remote, 'pack-objects', '--stdout', '--revs', '--delta-base-offset', '-q'],
      {
        input: 'main\n',
      },
    );
    const greeting = advertisement(tip, ['refs/heads/a', 'refs/tags/v1']);
    const rounds = Array.from({ length: ROUNDS }, (_, index) => {
      const kind = index % 4;
      if (kind === 0) return { greeting: mutated(greeting, random), answer: packAnswer(pack) };
      if (kind === 1) return { greeting, answer: mutated(packAnswer(pack), random) };
      if (kind === 2) return { greeting, answer: packAnswer(mutated(pack, random)) };
      return { greeting, answer: packAnswer(withChecksum(mutated(pack, random))) };
    });
    const { url } = await rawServer((request, response) => {
      request.resume();
      const round = rounds[Number(/\/(\d+)\.git/.exec(request.url ?? '')?.[1])];
      const isGreeting = request.method === 'GET';
      response.writeHead(200, {
        'content-type': `application/x-git-upload-pack-${isGreeting ? 'advertisement' : 'result'}`,
      });
      response.end(isGreeting ? round?.greeting : round?.answer);
    });
    const home = await tempRoot();
    const roots = rounds.map((_, index) => join(home, `r${index}`));
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(home, 'probe.json'), JSON.stringify({ roots, repo: url }));
    const { ended } = startProgram(home, PROGRAM, {
      PROBE: join(home, 'probe.json'),
      RESULT: join(home, 'result.json'),
    });
    const { exitCode, signal, stderr } = await ended;
    expect(exitCode, `${signal} ${stderr}`).toBe(0);
    expect(stderr).not.toContain('panicked');
    const { outcomes, peakMb } = JSON.parse(readFileSync(join(home, 'result.json'), 'utf8'));
    expect(peakMb).toBeLessThan(MAX_MB);
    for (const [index, outcome] of outcomes.entries()) {
      expect(outcome, `round ${index} of seed ${SEED}`).toMatch(/^(?:booted$|ERR_GIT )/);
      const root = roots[index] ?? '';
      if (!existsSync(join(root, '.git'))) continue;
      // A mutated tree may have odd file names, but objects must not be missing or damaged.
      const fsck = execFileSync('sh', ['-c', `git -C "${root}" fsck --full --no-dangling --no-progress 2>&1 || true`], {
        encoding: 'utf8',
      });
      expect(fsck, `round ${index} of seed ${SEED}: ${outcome}`).not.toMatch(/missing|broken|corrupt|mismatch|unable/);
    }
    expect(outcomes.filter((outcome) => outcome !== 'booted').length).toBeGreaterThan(ROUNDS / 3);
  });
});
