import { beforeAll, expect, test } from 'vitest';
import { installedSdks, MATRIX } from '../helpers/ai_sdks.js';
import { howOften } from '../helpers/how_often.js';
import { strictTypeScript } from '../helpers/strict_typescript.js';

const MINUTES = 60_000;

/** The combinations to compile: all of them, or the oldest and the newest. */
const COMPILED = MATRIX.filter((_, index) => index % howOften({ usual: MATRIX.length - 1, long: 1 }) === 0);

/** @type {Record<string, string>} */
let folders;
beforeAll(async () => {
  folders = await installedSdks();
}, 5 * MINUTES);

/**
 * A strict application on one SDK, with a tool of its own beside the kernel's.
 * @param {string} sdk
 */
const typedApplication = (sdk) => `
import { TGP, tgpTools } from '@tgp/core';
import { generateText, ${sdk === '4' ? '' : 'stepCountIs, '}streamText, tool, type LanguageModel } from 'ai${sdk}';
import { z } from 'zod';

const kernel = new TGP({ config: { rootDir: './.tgp' } });
const clock = tool({
  description: 'The time in a zone.',
  ${sdk === '4' ? 'parameters' : 'inputSchema'}: z.object({ zone: z.string() }),
  execute: async ({ zone }): Promise<string> => zone.toUpperCase(),
});
const tools = { ...tgpTools(kernel), clock };
const severalSteps = ${sdk === '4' ? '{ maxSteps: 20 }' : '{ stopWhen: stepCountIs(20) }'};

export async function answer(model: LanguageModel, prompt: string, abortSignal: AbortSignal): Promise<string[]> {
  const { text, steps } = await generateText({
    model,
    tools,
    ...severalSteps,
    system: kernel.getSystemPrompt(),
    prompt,
    abortSignal,
  });
  const commits = steps
    .flatMap((step) => step.toolResults)
    .flatMap((found) => {
      if (found.toolName !== 'write_file'${sdk === '4' ? '' : ' || found.dynamic'}) return [];
      const { commit } = found.${sdk === '4' ? 'result' : 'output'};
      // @ts-expect-error results are typed: there is no such member
      found.${sdk === '4' ? 'result' : 'output'}.comit;
      return commit === undefined ? [] : [commit];
    });
  return [text, ...commits];
}

export async function forged(model: LanguageModel, prompt: string): Promise<string> {
  const all = { ...tgpTools(kernel), ...(await kernel.tools({ query: prompt, limit: 20 })), clock };
  const stop = kernel.onToolsChanged(({ added }) => added.map(({ name, path }) => name + path));
  const first = await generateText({ model, tools: all, ...severalSteps, prompt });
  const live = await kernel.liveTools({ ...tgpTools(kernel), clock });
  const { text } = await generateText({ model, tools: live, ...severalSteps, prompt });
  stop();
  return first.text + text;
}

export function stream(model: LanguageModel, prompt: string): AsyncIterable<string> {
  return streamText({ model, tools: tgpTools(kernel), ...severalSteps, prompt }).textStream;
}
`;

test.each(COMPILED)(
  'an application on AI SDK $sdk with $zod compiles in strict TypeScript',
  async ({ sdk, zod }) => {
    expect(await strictTypeScript(String(folders[zod]), `app${sdk}`, typedApplication(sdk))).toBe('');
  },
  2 * MINUTES,
);
