/** The files that `tgp init` writes into an application. */

export const CONFIG = `import { defineTGPConfig } from '@tgp/core';

export default defineTGPConfig({
  // The agent's root: a Git repository of its own, with the tools in tools/.
  rootDir: './.tgp',
  sandbox: {
    memoryMb: 64,
    timeoutMs: 50,
  },
});
`;

/** The name has no extension: \`import()\` is the one form that works whether Node takes it for ESM or for CommonJS. */
export const SHIM = `#!/usr/bin/env node
import('@tgp/core/cli');
`;

export const EXAMPLE_TOOL = `/** Greets everyone by name. */
export default function (args: { names: string[]; greeting: string }): string[] {
  return args.names.map((name) => \`\${args.greeting}, \${name}!\`);
}
`;

const AGENT = `  const { text } = await generateText({
    model: 'openai/gpt-5', // any model of the AI SDK
    tools: tgpTools(kernel),
    system: kernel.getSystemPrompt(),
    stopWhen: stepCountIs(20),
    messages,
  });`;

/** @param {'ts' | 'js'} language */
export function nextRoute(language) {
  const request = language === 'ts' ? 'request: Request' : 'request';
  return `import { TGP, tgpTools } from '@tgp/core';
import { generateText, stepCountIs } from 'ai';

export const runtime = 'nodejs';

const kernel = new TGP({ configFile: './tgp.config.ts' });

export async function POST(${request}) {
  const { messages } = await request.json();
${AGENT}
  return Response.json({ text });
}
`;
}

export const NEST_MODULE = `import { Body, Controller, Inject, Injectable, Module, type OnModuleDestroy, Post } from '@nestjs/common';
import { TGP, tgpTools } from '@tgp/core';
import { generateText, type ModelMessage, stepCountIs } from 'ai';

@Injectable()
export class TgpService implements OnModuleDestroy {
  readonly kernel = new TGP({ configFile: './tgp.config.ts' });

  async answer(messages: ModelMessage[]): Promise<string> {
    const kernel = this.kernel;
${AGENT.replaceAll('\n', '\n  ').replace(/^/, '  ')}
    return text;
  }

  onModuleDestroy(): Promise<void> {
    return this.kernel.shutdown();
  }
}

@Controller('agent')
export class TgpController {
  constructor(@Inject(TgpService) private readonly tgp: TgpService) {}

  @Post()
  async post(@Body() body: { messages: ModelMessage[] }): Promise<{ text: string }> {
    return { text: await this.tgp.answer(body.messages) };
  }
}

@Module({ controllers: [TgpController], providers: [TgpService], exports: [TgpService] })
export class TgpModule {}
`;
