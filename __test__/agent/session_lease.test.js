/** The lease on a session: only one of several processes that cannot see each other uses it. */

import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryLog } from '../../dist/agent/memory_log.js';
import { SessionLease } from '../../dist/agent/session_lease.js';
import { ownIdentity } from '../../dist/kernel/sessions/process_identity.js';
import { rebuildSession } from '../../dist/kernel/sessions/recorded_session.js';

const ELSEWHERE = { pid: 1, host: 'elsewhere' };
const ACTOR = { agent: 'agent', id: 'a' };

function world() {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: 1_700_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const log = new MemoryLog();
  const append = (/** @type {string} */ what, /** @type {Record<string, any>} */ body) =>
    log.append('s', ACTOR, { what, ...body });
  const logger = /** @type {any} */ ({ warn: () => {} });
  const lease = new SessionLease('s', log, append, logger);
  onTestFinished(() => lease.end());
  const whats = async () => (await log.events('s')).map(({ what }) => what);
  return { log, append, lease, whats };
}

test('a process whose lease is renewed while another takes the session keeps it', async () => {
  const { log, append, lease, whats } = world();
  await append('agent take', { take: 'other', mark: ELSEWHERE });
  await append('agent task', { task: 'go', model: 'm', take: 'other' });
  vi.setSystemTime(Date.now() + 61_000);
  const known = rebuildSession('s', await log.events('s'));
  await append('agent beat', { take: 'other' });
  await expect(lease.begin(known)).rejects.toThrow('on elsewhere');
  expect((await whats()).at(-1)).toBe('agent left');
});

test('a late heartbeat does not hide that another process took the session', async () => {
  const { append, lease } = world();
  await lease.begin(undefined);
  await lease.check();
  vi.setSystemTime(Date.now() + 120_000);
  await append('agent take', { take: 'other', mark: ELSEWHERE });
  await vi.advanceTimersByTimeAsync(15_000);
  await expect(lease.check()).rejects.toThrow('on elsewhere');
  await expect(lease.check(), 'and again').rejects.toThrow('on elsewhere');
});

test('a session is not taken if the ledger does not store the take', async () => {
  const { log, lease } = world();
  log.events = async () => [];
  await expect(lease.begin(undefined)).rejects.toMatchObject({ code: 'ERR_LEDGER' });
});

test('a take with a time far in the future expires', async () => {
  const { log, append, lease } = world();
  vi.setSystemTime(Date.now() + 3_600_000);
  await append('agent take', { take: 'other', mark: ELSEWHERE });
  await append('agent task', { task: 'go', model: 'm', take: 'other' });
  vi.setSystemTime(Date.now() - 3_600_000);
  await lease.begin(rebuildSession('s', await log.events('s')));
});

test('the end of a run whose session was taken over does not end the session', async () => {
  const { log, append } = world();
  await append('agent take', { take: 'one', mark: ELSEWHERE });
  await append('agent task', { task: 'go', model: 'm', take: 'one' });
  await append('agent take', { take: 'two', mark: ELSEWHERE });
  await append('agent task', { model: 'm', take: 'two' });
  await append('agent end', { take: 'one', outcome: 'failed', ms: 5 });
  const rebuilt = rebuildSession('s', await log.events('s'));
  expect(rebuilt?.end).toBeUndefined();
  expect([...(rebuilt?.takes.keys() ?? [])]).toEqual(['two']);
  await append('agent end', { take: 'two', outcome: 'done', ms: 5 });
  expect(rebuildSession('s', await log.events('s'))?.end).toMatchObject({ outcome: 'done' });
});

test('another thread of this process keeps the session for as long as it renews its lease', async () => {
  const { log, append, lease } = world();
  await append('agent take', { take: 'other', mark: { ...ownIdentity(), realm: 'another' } });
  await append('agent task', { task: 'go', model: 'm', take: 'other' });
  const known = rebuildSession('s', await log.events('s'));
  await expect(lease.begin(known)).rejects.toThrow('another thread of process');
  vi.setSystemTime(Date.now() + 61_000);
  await lease.begin(known);
});
