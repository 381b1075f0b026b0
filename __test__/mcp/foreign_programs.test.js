import { expect, it } from 'vitest';
import { createMcpServer } from '../../dist/mcp.js';
import { tgpTools } from '../../index.js';
import { createKernel } from '../helpers/create_kernel.js';

it('THREAT: programs that the policy of the kernel does not control are refused', async () => {
  const [{ kernel }, other] = await Promise.all([createKernel(), createKernel()]);
  const { list_files: owned } = tgpTools(other.kernel);
  const { execute, description, parameters, inputSchema } = owned;
  for (const run_program of [{ execute, description, parameters, inputSchema }, owned]) {
    const programs = /** @type {any} */ ({ run_program });
    await expect(createMcpServer(kernel, { programs })).rejects.toMatchObject({
      code: 'ERR_CONFIG',
      message: expect.stringContaining('createShellTools({ kernel, … })'),
    });
  }
});
