/**
 * Runs every bomb in every sandbox, each pair in a separate process: does the application get an answer in time, does it
 * survive, is memory bounded and released, and does the next run succeed? `BOMBS=sort` selects bombs by name, `SANDBOX=run`
 * sandboxes. Failures are printed as they occur, and a summary after each row.
 */

import { BOMBS } from '../tools/bombs.mjs';
import { treeMemory } from '../tools/process_tree.mjs';
import { percentile } from './measure.mjs';
import { record } from './record.mjs';
import { ProcessUnavailable, SandboxProcess } from './sandbox_process.mjs';
import { SANDBOXES } from './sandboxes.mjs';

const LANES = 2;
/** The timeout of an answer, beyond the bomb's own time limit; generous, for a busy machine. */
const BOUND_MS = 5000;
/** After this time the process is killed. */
const WAIT_MS = 8000;
/** The allowed total growth with a limit of 64 MB, and the allowed rest after a garbage collection. */
const MAX_MB = 256;
const LEFT_MB = 128;
/** The time within which an idle process must release memory. */
const RETURN_MS = 2000;
const OURS = '@tgp/core, process';
/** Sandboxes that claim to contain hostile code. */
const NAMES = Object.keys(SANDBOXES).filter((name) => name !== '@tgp/core, thread' && !name.startsWith('node:vm'));

/** @typedef {import('../tools/bombs.mjs').Bomb} Bomb */
/** @typedef {{ outcome: string, ms?: number, message?: string, typed?: boolean, mb?: number }} Cell */

/** The current ratio of wall-clock to CPU time, by which CPU time limits are delayed. */
function slowness() {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000;
  };
  while (used() < 20);
  return Math.min(8, Math.max(1, (performance.now() - wall) / used()));
}

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** @param {SandboxProcess} sandbox */
function watchMemory(sandbox) {
  const base = treeMemory(sandbox.pid).total;
  let peak = base;
  const timer = setInterval(() => {
    peak = Math.max(peak, treeMemory(sandbox.pid).total);
  }, 25);
  return {
    grown: () => Math.max(peak, treeMemory(sandbox.pid).total) - base,
    left: () => treeMemory(sandbox.pid).total - base,
    stop: () => clearInterval(timer),
  };
}

/**
 * Whether an answer of the sandbox is correct. Ours must name the limit; for a peer, any answer in time counts.
 * @param {string} name
 * @param {Bomb} bomb
 * @param {{ outcome: string, ms: number, code?: string, text: string }} answer
 */
function judgeAnswer(name, bomb, answer, slower = 1) {
  if (name !== OURS && /is not defined/.test(answer.text)) return 'n/a';
  if (answer.ms > (BOUND_MS + (bomb.timeoutMs ?? 50)) * slower) return 'too late';
  if (name === OURS && !bomb.codes.includes(answer.code ?? '')) return 'wrong answer';
  return 'ok';
}

/**
 * @param {string} name
 * @param {Bomb} bomb
 * @returns {Promise<Cell>}
 */
async function attempt(name, bomb) {
  // Peers have no host functions.
  if (name !== OURS && bomb.source.includes('tgp.')) return { outcome: 'n/a' };
  const sandbox = await SandboxProcess.open(name);
  const memory = watchMemory(sandbox);
  const slower = slowness();
  /** @type {Partial<Cell>} */
  const cell = {};
  /** @param {string} outcome @param {string} message @returns {Cell} */
  const end = (outcome, message) => ({ ...cell, outcome, message, mb: memory.grown() });
  try {
    const job = {
      timeoutMs: bomb.timeoutMs ?? 50,
      async: /\b(await|Promise|then|setTimeout|setInterval)\b/.test(bomb.source),
    };
    const answer = await sandbox.ask({ kind: 'bomb', body: bomb.source, job }, WAIT_MS * slower);
    const message = `${answer.code ?? answer.outcome}: ${answer.text}`;
    cell.ms = answer.ms;
    cell.typed = typeof answer.code === 'string';
    const outcome = judgeAnswer(name, bomb, answer, slower);
    if (outcome !== 'ok') return end(outcome, message);
    const next = await sandbox.ask({ kind: 'good' }, WAIT_MS * slower);
    if (next.failure) return end('next run bad', next.failure);
    if (memory.grown() > MAX_MB) return end('over its memory', `${memory.grown().toFixed(0)} MB`);
    for (const since = Date.now(); memory.left() > LEFT_MB; await pause(50)) {
      if (Date.now() - since > RETURN_MS * slower) return end('memory not back', `${memory.left().toFixed(0)} MB`);
      await sandbox.ask({ kind: 'collect' }, WAIT_MS);
    }
    return end('ok', message);
  } catch (error) {
    if (!(error instanceof ProcessUnavailable)) throw error;
    return end(error.message.includes('ended') ? 'host died' : 'host hung', error.message);
  } finally {
    memory.stop();
    await sandbox.kill();
  }
}

/** All kinds of failure, in the order of a row's summary. */
const FAILURES = [
  'wrong answer',
  'too late',
  'host died',
  'host hung',
  'next run bad',
  'over its memory',
  'memory not back',
];

/**
 * Runs all bombs in one sandbox.
 * @param {string} name
 * @param {Bomb[]} bombs
 */
async function row(name, bombs) {
  process.stdout.write(`  ${name}\n`);
  const started = performance.now();
  /** @type {Cell[]} */
  const cells = [];
  const waiting = [...bombs];
  const lane = async () => {
    for (let bomb = waiting.shift(); bomb; bomb = waiting.shift()) {
      const cell = await attempt(name, bomb);
      cells.push(cell);
      if (FAILURES.includes(cell.outcome)) {
        process.stdout.write(`      ${cell.outcome.padEnd(16)} ${bomb.name} (${cell.message ?? ''})\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane)).finally(() => waiting.splice(0));
  const count = (/** @type {string} */ outcome) => cells.filter((cell) => cell.outcome === outcome).length;
  const times = cells.flatMap(({ outcome, ms }) => (outcome === 'ok' && ms !== undefined ? [ms] : []));
  const failures = FAILURES.map((outcome) => [outcome, count(outcome)]).filter(([, times]) => times);
  const failed = cells.length - count('ok') - count('n/a');
  const outcomes = Object.fromEntries(['ok', ...FAILURES, 'n/a'].map((outcome) => [outcome, count(outcome)]));
  const mostMb = Math.max(...cells.map(({ mb }) => mb ?? 0));
  const typed = cells.filter(({ outcome, typed }) => outcome === 'ok' && typed).length;
  record(name, times, { group: 'answer', facts: { ...outcomes, typed, mostMb, bombs: bombs.length } });
  const sums = [
    `ok ${count('ok')} (${typed} typed)`,
    `failed ${failed}${failed ? ` (${failures.map(([outcome, times]) => `${outcome} ${times}`).join(', ')})` : ''}`,
    `n/a ${count('n/a')}`,
    times.length > 0
      ? `answer p50 ${percentile(times, 0.5).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms`
      : 'no answer',
    `most memory ${mostMb.toFixed(0)} MB`,
    `${((performance.now() - started) / 1000).toFixed(0)} s`,
  ];
  process.stdout.write(`    ${sums.join('; ')}\n`);
  return failed;
}

const bombs = BOMBS.filter(({ name }) => name.includes(process.env.BOMBS ?? ''));
const names = NAMES.filter((name) => name.includes(process.env.SANDBOX ?? ''));
process.stdout.write(`\nKill matrix: ${bombs.length} bombs, ${LANES} at a time\n`);
for (const name of names) {
  try {
    const failed = await row(name, bombs);
    if (name === OURS && failed > 0) process.exitCode = 1;
  } catch (error) {
    process.stdout.write(`    FAILED: ${String(error)}\n`);
    process.exitCode = 1;
  }
}
