import { describe, expect, it } from 'vitest';
import { createKernel } from '../helpers/create_kernel.js';

/**
 * The registry entry of one source.
 * @param {string} source
 * @param {string} [path]
 */
async function read(source, path = 'tools/money/t.ts') {
  const { kernel, tools } = await createKernel();
  await tools.write_file.execute({ path, content: source });
  const [entry] = await kernel.registry.list();
  return /** @type {NonNullable<typeof entry>} */ (entry);
}

describe('a tool describes itself', () => {
  it('by JSDoc and signature', async () => {
    const source = `
import { round } from './lib/round';
import data from '/lib/rates.json';
type Line = { /** Price of one piece. */ price: number; count?: number };
interface Base { currency: 'EUR' | 'USD' }
enum Mode { Fast = 'fast', Exact = 'exact' }
/** Not this comment. */
const helper = 1;
/**
 * Sums invoice lines.
 * Rounds to cents.
 * @param args.lines - The lines.
 * @tags billing, Invoice
 */
export default async function total(args: Base & {
  lines: readonly Line[];
  mode: Mode;
  at: Date;
  rates: Record<string, number>;
  note?: string | null;
  pair: [number, string];
  only: Pick<Line, 'price'>;
  some: Partial<Line>;
}) { return round(args); }`;
    const entry = await read(source);
    expect(entry).toMatchObject({
      name: 't',
      description: 'Sums invoice lines. Rounds to cents.',
      tags: ['money', 'billing', 'invoice'],
      imports: ['./lib/round', '/lib/rates.json'],
      kind: 'tool',
      uses: 0,
    });
    const line = {
      type: 'object',
      properties: { price: { type: 'number', description: 'Price of one piece.' }, count: { type: 'number' } },
    };
    expect(entry.parameters).toEqual({
      type: 'object',
      properties: {
        currency: { enum: ['EUR', 'USD'] },
        lines: { type: 'array', items: { ...line, required: ['price'] }, description: 'The lines.' },
        mode: { enum: ['fast', 'exact'] },
        at: { type: 'string', format: 'date-time' },
        rates: { type: 'object', additionalProperties: { type: 'number' } },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        pair: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] },
        only: { type: 'object', properties: { price: line.properties.price }, required: ['price'] },
        some: line,
      },
      required: ['currency', 'lines', 'mode', 'at', 'rates', 'pair', 'only', 'some'],
    });
  });

  it('in every form that a tool can have', async () => {
    const typed = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    /** @type {[string, object, string?][]} */
    const forms = [
      ['/** D. */ export default (args: { n: number }) => args.n', typed],
      ['/** D. */ const f = (args: { n: number }) => args.n; export default f', typed],
      ['/** D. */ function f(args: { n: number }) { return args.n }\nexport { f as default }', typed],
      ['/** D. */ module.exports = function (args: { n: number }) { return args.n }', typed],
      ['/** D. */ export default (({ n }: { n: number }) => n) satisfies Function', typed],
      [
        '/** D. */ export default ({ n = 3, s = "x" }) => n + s',
        { type: 'object', properties: { n: { type: 'number', default: 3 }, s: { type: 'string', default: 'x' } } },
      ],
      ['/** D. */ return args.n + args["m"]', { type: 'object', properties: { n: {}, m: {} } }],
      ['/** D. */ export default () => 1', { type: 'object', properties: {} }],
      [
        '/** D.\n * @param {number} args.n\n * @param {string[]} [args.tags] names */ export default function (args) {}',
        {
          type: 'object',
          properties: {
            n: { type: 'number' },
            tags: { type: 'array', items: { type: 'string' }, description: 'names' },
          },
          required: ['n'],
        },
        'tools/money/t.js',
      ],
    ];
    for (const [source, parameters, path] of forms) {
      expect(await read(source, path), source).toMatchObject({ description: 'D.', parameters, kind: 'tool' });
    }
  });

  it('as a module if it cannot be run, and by its name if it does not compile', async () => {
    expect(await read('/** Helpers. */ export const a = 1')).toMatchObject({ kind: 'module', description: 'Helpers.' });
    expect(await read('export default (')).toMatchObject({ kind: 'tool', name: 't', description: '', parameters: {} });
    expect(await read('/** Folder. */ return 1', 'tools/geo/index.ts')).toMatchObject({ name: 'geo', tags: ['geo'] });
  });

  it('without growing or hanging on recursive types', async () => {
    const bomb = Array.from(
      { length: 20 },
      (_, index) => `type T${index} = { a: T${index + 1}; b: T${index + 1}; c: T${index + 1} };`,
    );
    const loop =
      'type Tree = { left: Tree; right: Tree }; interface A extends B { a: A } interface B extends A { b: B }';
    for (const types of [`${bomb.join('\n')}\ntype T20 = T0;`, loop]) {
      const entry = await read(
        `${types}\nexport default (args: ${types === loop ? '{ tree: Tree; a: A }' : 'T0'}) => 1`,
      );
      expect(JSON.stringify(entry.parameters).length).toBeLessThan(100_000);
    }
  });

  it('but declarations and data are not tools', async () => {
    const { kernel, tools } = await createKernel();
    for (const path of ['tools/types.d.ts', 'tools/data.json', 'tools/readme.md']) {
      await tools.write_file.execute({ path, content: '{}' });
    }
    expect(await kernel.registry.list()).toEqual([]);
  });
});
