import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

const FORMS = ['1040', '1065', '1099', '1120', '941'];

/** @param {string} about */
const source = (about) => `/** ${about} */\nexport default (args: { year: string }): string => args.year;\n`;

async function forms() {
  const { kernel, tools } = await createKernel({ memory: 'off' });
  for (const form of FORMS) {
    await tools.write_file.execute({ path: `tools/form_${form}.ts`, content: source('Fills in a tax form.') });
  }
  await tools.write_file.execute({ path: 'tools/encode_base_64.ts', content: source('Encodes text.') });
  await tools.write_file.execute({ path: 'tools/encode_base_32.ts', content: source('Encodes text.') });
  await tools.write_file.execute({ path: 'tools/summarize_report.ts', content: source('Summarizes a report.') });
  return kernel;
}

describe('numbers in requests', () => {
  it('a number names a tool', async () => {
    const kernel = await forms();
    for (const form of FORMS) {
      for (const query of [`form ${form}`, `fill in tax form ${form}`, `tax form ${form} for this year`]) {
        const [first, second] = await kernel.find(query);
        expect(first?.path, query).toBe(`tools/form_${form}.ts`);
        expect(second?.score ?? 0, query).toBeLessThan(first?.score ?? 0);
      }
    }
    expect((await kernel.find('encode text base 64'))[0]?.path).toBe('tools/encode_base_64.ts');
    expect((await kernel.find('encode text base 32'))[0]?.path).toBe('tools/encode_base_32.ts');
  });

  it('a number of no tool is a value of the request', async () => {
    const kernel = await forms();
    const [plain] = await kernel.find('summarize a report');
    for (const query of ['summarize 3 a report', 'summarize a report 20240131', 'summarize a report 2024']) {
      expect(await kernel.find(query, { limit: 1 }), query).toMatchObject([
        { path: 'tools/summarize_report.ts', score: plain?.score },
      ]);
    }
  });
});
