/** A strict TypeScript application, as a user would write it. Compiled by `npm run typecheck`, never run. */

import {
  defineTGPConfig,
  type ExecToolResult,
  formatTools,
  TGP,
  TGPError,
  type TGPErrorCode,
  ToolError,
  tgpTools,
  toAnthropicTools,
  toOpenAITools,
} from '@tgp/core';
import { generateText, type LanguageModel, stepCountIs, streamText, type ToolSet, tool } from 'ai';
import { z } from 'zod';

export const config = defineTGPConfig({
  rootDir: './.tgp',
  git: { provider: 'local', branch: 'main', auth: { user: 'forge', email: 'forge@example.com' } },
  sandbox: { memoryMb: 128, isolation: 'process' },
});

export const withFunctions = new TGP({
  sandboxAPI: {
    wait: {
      description: 'Waits for an answer.',
      execute(args: { url: string }) {
        return fetch(args.url, { signal: this.signal });
      },
    },
  },
});

// @ts-expect-error a misspelt key does not compile
export const misspelt = defineTGPConfig({ sandbox: { memoryMB: 128 } });

// @ts-expect-error a value of the wrong type does not compile
export const mistyped = defineTGPConfig({ sandbox: { memoryMb: '128' } });

export async function answer(model: LanguageModel, prompt: string): Promise<string> {
  await using kernel = new TGP({ config });
  const clock = tool({ description: 'The time.', inputSchema: z.object({}), execute: async () => Date.now() });
  const result = await generateText({
    model,
    tools: { ...tgpTools(kernel), clock },
    stopWhen: stepCountIs(20),
    system: kernel.getSystemPrompt(),
    prompt,
  });
  return result.text;
}

export function stream(model: LanguageModel, kernel: TGP, prompt: string) {
  const tools: ToolSet = formatTools(tgpTools(kernel));
  return streamText({ model, tools, prompt }).toTextStreamResponse();
}

export async function direct(kernel: TGP, signal: AbortSignal): Promise<number | TGPErrorCode> {
  const tools = tgpTools(kernel);
  const paths: string[] = await tools.list_files.execute({ dir: 'tools' }, { abortSignal: signal });
  const written = await tools.write_file.execute({ path: 'tools/a.ts', content: 'export default () => 1' });
  const commit: string | undefined = written.commit;
  // @ts-expect-error `content` is required
  await tools.write_file.execute({ path: 'tools/a.ts' });
  const report: ExecToolResult = await tools.exec_tool.execute({ path: 'tools/a.ts', args: { paths, commit } });
  if (!report.success) return report.code;
  try {
    const { result, logs, stats } = await kernel.exec<number>('tools/a.ts', {}, { timeoutMs: 20, signal });
    return result + logs.length + stats.cpuMs;
  } catch (error) {
    if (error instanceof ToolError) return error.line ?? 0;
    if (error instanceof TGPError) return error.code;
    throw error;
  }
}

export const requestBodies = (kernel: TGP) => [
  ...toOpenAITools(tgpTools(kernel)).map((entry) => entry.function.name),
  ...toAnthropicTools(tgpTools(kernel)).map((entry) => entry.input_schema.type),
];
