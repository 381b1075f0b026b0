import { describe, expect, it } from 'vitest';
import { ValidationError } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

describe('options of a run', () => {
  it('are validated in every call, also after valid ones', async () => {
    const { kernel, forge } = await createKernel();
    await forge('export default () => 1', {}, { timeoutMs: 1000 });
    /** @type {[any, string][]} */
    const wrong = [
      [{ timeoutMs: 1000, memoryMB: 64 }, 'did you mean "memoryMb"?'],
      [{ timeoutMs: 1000, other: undefined }, '"other" is not known'],
      [{ timeoutMs: '1000' }, '"timeoutMs" is not valid'],
      [{ timeoutMs: 1000n }, '"timeoutMs" is not valid'],
      [{ timeoutMs: Number.NaN }, '"timeoutMs" is not valid'],
      [{ timeoutMs: 0 }, '"timeoutMs" is not valid'],
      [{ timeoutMs: 1000, signal: {} }, '"signal" is not valid'],
      ['timeoutMs', 'exec options'],
    ];
    for (const [options, message] of wrong) {
      for (let time = 0; time < 2; time++) {
        const error = await kernel.exec('tools/test/forged.ts', {}, options).catch((error) => error);
        expect(error).toBeInstanceOf(ValidationError);
        expect(error.message).toContain(message);
      }
    }
    const signal = new AbortController().signal;
    for (const options of [{ timeoutMs: 1000 }, { timeoutMs: 1000, signal }, { timeoutMs: undefined }, {}, undefined]) {
      expect((await kernel.exec('tools/test/forged.ts', {}, options)).result).toBe(1);
    }
  });

  it('that are an argument of the tool get advice', async () => {
    const { kernel } = await createKernel();
    for (const run of [
      kernel.exec('tools/a.ts', 100, /** @type {any} */ (19)),
      kernel.run('1', 1, /** @type {any} */ (19)),
    ]) {
      await expect(run).rejects.toThrow(
        'give an object, not 19. A tool takes one object of arguments, as the second parameter; options are the third.',
      );
    }
  });

  it('with another name get a suggestion', async () => {
    const { kernel } = await createKernel();
    const run = kernel.exec('tools/a.ts', {}, /** @type {any} */ ({ timeout: 1000 }));
    await expect(run).rejects.toThrow('"timeout" is not known, did you mean "timeoutMs"?');
  });

  it('are applied in every call', async () => {
    const { kernel, forge } = await createKernel();
    const { result: first } = await forge('export default () => Math.random()', {}, { seed: 0 });
    const seen = new Set([first]);
    for (let seed = 1; seed < 300; seed++) seen.add((await kernel.exec('tools/test/forged.ts', {}, { seed })).result);
    expect(seen.size).toBe(300);
    expect((await kernel.exec('tools/test/forged.ts', {}, { seed: 0 })).result).toBe(first);
  });
});
