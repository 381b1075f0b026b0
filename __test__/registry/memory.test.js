import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { placeTools } from '../../tools/retrieval_set.mjs';
import { createKernel } from '../helpers/create_kernel.js';
import { applicationWithMemory, hasWeights } from '../helpers/memory_model.js';
import { tempRoot } from '../helpers/temp_root.js';

const TAX = {
  path: 'tools/finance/tax_add.ts',
  source:
    '/** Add tax to a net price. */\nexport default function (args: { net: number; rate: number }) {\n  return args.net * (1 + args.rate);\n}\n',
};
const SLUG = {
  path: 'tools/text/slugify.ts',
  source:
    "/** Make a heading safe for a URL. */\nexport default function (args: { title: string }) {\n  return args.title.toLowerCase().replace(/ /g, '-');\n}\n",
};

/** A logger that records messages. */
function recordingLogger() {
  /** @type {string[]} */
  const messages = [];
  const note = (/** @type {string} */ level) => (/** @type {string} */ message) =>
    void messages.push(`${level}: ${message}`);
  return { messages, logger: { debug: () => {}, info: note('info'), warn: note('warn'), error: note('error') } };
}

/** An embedding model with two topics: money and writing. */
function model() {
  /** @type {string[][]} */
  const requests = [];
  /** @param {string[]} texts */
  const embed = async (texts) => {
    requests.push(texts);
    return texts.map((text) => [
      1 + 9 * Number(/tax|levy|money|currency/i.test(text)),
      1 + 9 * Number(/heading|article|slug/i.test(text)),
      1,
    ]);
  };
  return { requests, embed };
}

describe('without a model', () => {
  it('search uses words, and logs nothing', async () => {
    const { messages, logger } = recordingLogger();
    const { kernel, tools } = await createKernel({}, { logger });
    await tools.write_file.execute({ path: TAX.path, content: TAX.source });
    expect((await kernel.find('add tax'))[0]?.path).toBe(TAX.path);
    expect(messages.filter((line) => /words|memory/.test(line))).toEqual([]);
    expect(await kernel.registry.remember()).toEqual({ by: 'words', texts: 0, waiting: 0 });
  });

  it("memory: 'off' logs nothing, and does not call a model", async () => {
    const { messages, logger } = recordingLogger();
    const { requests, embed } = model();
    const { kernel } = await createKernel({ memory: 'off' }, { logger, embed });
    expect(await kernel.find('a levy')).toEqual([]);
    expect(requests).toEqual([]);
    expect(messages.filter((line) => line.includes('words'))).toEqual([]);
  });

  it('the text of @when is searched by words', async () => {
    const { kernel, tools } = await createKernel({ memory: 'off' });
    const content = TAX.source.replace(' price. ', ' price.\n * @when the till shows an amount before duty\n ');
    await tools.write_file.execute({ path: TAX.path, content });
    expect((await kernel.find('the amount at the till before duty'))[0]?.path).toBe(TAX.path);
  });

  it('examples and the types of parameters are searched by words', async () => {
    const { kernel, tools } = await createKernel({ memory: 'off' });
    const content = `/**
 * Adds tax.
 * @example quote({ country: 'norway' }) // with lodging levy
 */
export default function quote(args: { country: 'norway' | 'iceland'; guest: { passport: string } }) {
  return args;
}
`;
    await tools.write_file.execute({ path: 'tools/quote.ts', content });
    for (const words of ['lodging levy', 'iceland', 'passport']) {
      expect((await kernel.find(words))[0]?.path, words).toBe('tools/quote.ts');
    }
  });
});

describe("the application's own model", () => {
  it('finds tools without shared words, embeds each text once, and stores the vectors', async () => {
    const rootDir = await tempRoot();
    placeTools(rootDir, [TAX, SLUG]);
    const first = model();
    const { kernel } = await createKernel({ rootDir }, { embed: first.embed });
    expect(await kernel.registry.remember()).toMatchObject({ by: 'meaning', waiting: 0 });
    expect((await kernel.find('what is the levy'))[0]?.path).toBe(TAX.path);
    expect((await kernel.find('an article for the web'))[0]?.path).toBe(SLUG.path);
    expect((await kernel.find('tax_add'))[0]).toMatchObject({ path: TAX.path, score: 1 });
    const texts = first.requests.flat();
    expect(new Set(texts).size).toBe(texts.length);
    await kernel.shutdown();

    const second = model();
    const { kernel: next } = await createKernel({ rootDir }, { embed: second.embed });
    expect(await next.registry.remember()).toMatchObject({ by: 'meaning', waiting: 0 });
    expect((await next.find('what is the levy'))[0]?.path).toBe(TAX.path);
    expect(second.requests.flat().filter((text) => text.includes('heading'))).toEqual([]);
  });

  it('logs a failing or invalid embed function once, and searches by words', async () => {
    /** @type {Record<string, (texts: string[]) => any>} */
    const broken = {
      'it threw an error': () => {
        throw new Error('key sk-123 is wrong');
      },
      'it must return an array of': () => [],
      'all vectors must have the same dimension': (texts) => texts.map((text) => Array(1 + (text.length % 7)).fill(1)),
      'finite numbers': (texts) => texts.map(() => [Number.NaN, 1]),
      'a vector must have 1 to 8192 numbers': (texts) => texts.map(() => []),
    };
    for (const [why, embed] of Object.entries(broken)) {
      const { messages, logger } = recordingLogger();
      const { kernel, tools } = await createKernel({}, { logger, embed });
      await tools.write_file.execute({ path: TAX.path, content: TAX.source });
      await tools.write_file.execute({ path: SLUG.path, content: SLUG.source });
      await kernel.registry.remember();
      expect((await kernel.find('add tax'))[0]?.path, why).toBe(TAX.path);
      await kernel.find('add tax again');
      const warnings = messages.filter((line) => line.startsWith('warn: Tool search uses words only'));
      expect(warnings.length, why).toBeGreaterThan(0);
      expect(warnings.length, why).toBeLessThanOrEqual(2);
      expect(warnings.join()).toContain(why);
      expect(warnings.join(), why).not.toContain('sk-123');
    }
  });

  it('must be a function', async () => {
    const { kernel } = await createKernel({}, { embed: /** @type {any} */ ('model') });
    await expect(kernel.boot()).rejects.toMatchObject({ code: 'ERR_CONFIG', details: { key: 'embed' } });
  });
});

describe.skipIf(!hasWeights)('the weights of @tgp/memory', () => {
  it('are found in the application and used in the background; vectors are stored in .git', async () => {
    const { kernel, tools, rootDir } = await applicationWithMemory();
    await tools.write_file.execute({ path: TAX.path, content: TAX.source });
    await tools.write_file.execute({ path: SLUG.path, content: SLUG.source });
    const report = await kernel.registry.remember();
    expect(report).toMatchObject({ by: 'meaning', waiting: 0 });
    expect(report.texts).toBeGreaterThanOrEqual(2);
    const [best] = await kernel.find('how much does a customer pay including duty');
    expect(best?.path).toBe(TAX.path);
    expect(best?.score).toBeLessThan(0.85);
    await kernel.shutdown();
    expect(existsSync(join(rootDir, '.git', 'tgp', 'vectors.bin'))).toBe(true);
    expect(readdirSync(rootDir)).not.toContain('vectors.bin');
  });

  it('the text of @when is embedded like a request', async () => {
    const { kernel, tools } = await applicationWithMemory();
    await tools.write_file.execute({ path: SLUG.path, content: SLUG.source });
    const plain = await kernel.find('what the customer hands over at the counter');
    const content = TAX.source.replace(
      ' price. ',
      ' price.\n * @when somebody asks what a shopper hands over at the till\n ',
    );
    await tools.write_file.execute({ path: TAX.path, content });
    const [best] = await kernel.find('what the customer hands over at the counter');
    expect(best?.path).toBe(TAX.path);
    expect(best?.score).toBeGreaterThan(plain[0]?.score ?? 0);
  });
});
