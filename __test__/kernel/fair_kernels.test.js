import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const JOBS = 120;

describe('two kernels of one process', () => {
  it.each(['write_file', 'search_files', 'check_tool'])(
    'many calls of %s do not delay another kernel',
    async (name) => {
      const [busy, other] = [await createKernel(), await createKernel()];
      const content = `/** One of many. */\nexport default (): number => ${'1 + '.repeat(200)}1;\n`;
      await busy.tools.write_file.execute({ path: 'tools/one.ts', content });
      await other.tools.write_file.execute({ path: 'tools/one.ts', content });
      // Files that take a while to search.
      const long = 'nothing of that kind\n'.repeat(40_000);
      for (const at of [1, 2, 3, 4]) await busy.tools.write_file.execute({ path: `notes/${at}.md`, content: long });
      const args = {
        write_file: (/** @type {number} */ index) => ({ path: `tools/many/t${index}.ts`, content }),
        search_files: () => ({ pattern: '1 + 1' }),
        check_tool: () => ({ path: 'tools/one.ts' }),
      }[name];
      let open = JOBS;
      const jobs = Array.from({ length: JOBS }, (_, index) =>
        busy.tools[name].execute(args?.(index)).finally(() => {
          open -= 1;
        }),
      );
      // The same tool, so the same queue: the other kernel gets its turn.
      await other.tools[name].execute(args?.(0));
      expect(open).toBeGreaterThan(JOBS / 4);
      await Promise.all(jobs);
    },
  );
});
