import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NestedTurns } from '../../js/sql/nested_turns.js';

describe('turns of nested runs', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('one writes until it has ended, with those below it; others wait, and reading never does', async () => {
    const turns = new NestedTurns();
    expect(turns.admit([1], true)).toBeUndefined();
    expect(turns.admit([1, 2], true)).toBeUndefined();
    expect(turns.admit([3], false)).toBeUndefined();
    expect(turns.unset([1, 2]).map(({ run }) => run)).toEqual([1, 2]);
    const order = [];
    const waiting = [turns.admit([3], true), turns.admit([3], false), turns.admit([], true)].map((turn, index) =>
      turn?.then(() => order.push(index)),
    );
    expect(turns.end(2)).toMatchObject({ run: 2, state: 'claimed' });
    expect(turns.end(1)).toMatchObject({ run: 1 });
    await Promise.all(waiting.slice(0, 2));
    expect(order).toEqual([0, 1]);
    turns.end(3);
    await waiting[2];
    expect(turns.isIdle).toBe(true);
    expect(turns.end(4)).toBeUndefined();
  });

  it('who waits too long writes all the same, and then nothing is undone by itself', async () => {
    const turns = new NestedTurns();
    turns.admit([1], true);
    const late = turns.admit([2, 3], true);
    await vi.advanceTimersByTimeAsync(11_000);
    await late;
    expect(turns.admit([2, 3], true)).toBeUndefined();
    expect(turns.end(3)).toMatchObject({ state: 'failed' });
    expect(turns.end(2)).toMatchObject({ state: 'failed' });
    expect(turns.end(1)).toMatchObject({ state: 'failed' });
    expect(turns.isIdle).toBe(true);
  });

  it('who wrote among others is not undone to a savepoint that came later', async () => {
    const turns = new NestedTurns();
    turns.admit([1], true);
    const late = turns.admit([2], true);
    await vi.advanceTimersByTimeAsync(11_000);
    await late;
    turns.end(1);
    expect(turns.admit([2, 3], true)).toBeUndefined();
    expect(turns.end(3)).toMatchObject({ state: 'claimed' });
    expect(turns.end(2)).toMatchObject({ state: 'failed' });
  });

  it('who waits for a run of its own can still be undone as a whole', async () => {
    const turns = new NestedTurns();
    turns.admit([1], true);
    turns.admit([1, 2], true);
    const late = [turns.admit([1], true), turns.admit([], true)];
    await vi.advanceTimersByTimeAsync(11_000);
    await Promise.all(late);
    expect(turns.end(2)).toMatchObject({ state: 'failed' });
    expect(turns.end(1)).toMatchObject({ run: 1, number: 1, state: 'failed' });
  });

  it('what waits is refused when its run ends', async () => {
    const turns = new NestedTurns();
    turns.admit([1], true);
    const refused = expect(turns.admit([2, 3], true)).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    turns.end(2);
    await refused;
    const stopped = expect(turns.admit([], true)).rejects.toMatchObject({ code: 'ERR_ABORTED' });
    turns.stop();
    await stopped;
  });
});
