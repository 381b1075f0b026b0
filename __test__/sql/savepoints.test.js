import { describe, expect, it } from 'vitest';
import { Savepoints } from '../../dist/sql/run/savepoint.js';

function recorded() {
  const savepoints = new Savepoints();
  /** @type {string[]} */
  const sent = [];
  const control = async (/** @type {string} */ action, /** @type {number} */ number) => {
    sent.push(`${action} ${number}`);
  };
  return {
    sent,
    write: (/** @type {number[]} */ ...nesting) => savepoints.prepare(nesting, control),
    end: (/** @type {number} */ run, /** @type {'commit' | 'rollback'} */ how) => savepoints.end(run, how, control),
    savepoints,
  };
}

describe('savepoints of nested runs', () => {
  it('a nested run is rolled back with the runs nested in it', async () => {
    const { sent, write, end } = recorded();
    await write();
    await write(1);
    await write(1, 2);
    await write(1);
    expect(await end(2, 'commit')).toBe('done');
    expect(await end(1, 'rollback')).toBe('done');
    expect(sent).toEqual(['set 1', 'set 2', 'undo 1']);
  });

  it('a run cannot be rolled back separately after a later write of another run', async () => {
    for (const other of [[], [2], [2, 3]]) {
      const { write, end } = recorded();
      await write(1);
      await write(...other);
      expect(await end(1, 'rollback')).toBe('mixed');
    }
  });

  it('a committed run keeps the savepoints of other runs', async () => {
    const { sent, write, end } = recorded();
    await write(1);
    await write(2);
    expect(await end(1, 'commit')).toBe('done');
    expect(await end(2, 'rollback')).toBe('done');
    expect(sent).toEqual(['set 1', 'set 2', 'undo 2']);
  });

  it('a savepoint that the database refused counts as mixed, and a run that has not written as done', async () => {
    const savepoints = new Savepoints();
    await savepoints.prepare([1], () => Promise.reject(new Error('no savepoints')));
    expect(await savepoints.end(1, 'rollback', async () => {})).toBe('mixed');
    expect(await savepoints.end(2, 'rollback', async () => {})).toBe('done');
  });
});
