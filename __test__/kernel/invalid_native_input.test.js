/** Input of the native part that is not valid is refused with an error: it is neither dropped nor replaced by a default. */

import { describe, expect, it, onTestFinished } from 'vitest';
import { native } from '../../dist/boundary/native.js';
import { tempRoot } from '../helpers/temp_root.js';

const ignore = () => {};
const made = () => new (native().BindingKernel)([], [], undefined, ignore, ignore);
const CALL = { number: 0, caller: '{}', tool: 'read_file', effect: 'read', changes: false, args: '{}' };

async function booted(redact = 'absent') {
  const kernel = made();
  onTestFinished(() => kernel.shutdown(0));
  const outcome = await kernel.boot('{"rootDir":"./.tgp"}', await tempRoot(), undefined, redact, '"allow"');
  return { kernel, outcome };
}

describe('the native kernel refuses', () => {
  it('a redaction hook that is neither present nor absent', async () => {
    const { outcome } = await booted('perhaps');
    expect(outcome.error).toMatchObject({ message: expect.stringContaining("neither 'present' nor 'absent'") });
  });

  it.each(['', '{', '{"path":', 'path'])('arguments of a read that are not JSON: %j', async (args) => {
    const { kernel } = await booted();
    const { error } = await kernel.read('read_file', args, '{}');
    expect(error).toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringMatching(/^The arguments of read_file are not valid: .* at line 1 column \d+\.$/),
    });
  });

  it('arguments to judge that are not JSON', async () => {
    const { kernel } = await booted();
    const { error } = await kernel.judge({ ...CALL, args: '{' });
    expect(error).toMatchObject({
      code: 'ERR_VALIDATION',
      message: expect.stringMatching(/^The arguments of read_file are not valid JSON: /),
    });
  });

  it('a change to preview that is not JSON', async () => {
    const { kernel } = await booted();
    const { error } = await kernel.previewChange('{', '{}');
    expect(error).toMatchObject({ code: 'ERR_VALIDATION', message: expect.stringMatching(/^The change to preview/) });
  });

  it.each(['judge', 'enter'])('an unknown effect, by which rules would be chosen: %s', async (method) => {
    const { kernel } = await booted();
    const { error } = await kernel[method]({ ...CALL, effect: 'delete' });
    expect(error).toMatchObject({
      code: 'ERR_VALIDATION',
      message: '"delete" is not an effect. Use one of: read, write, run, sql, net, app, shell.',
    });
  });
});
