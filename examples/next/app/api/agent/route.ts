import { TGP, tgpTools } from '@tgp/core';
import { generateText, stepCountIs } from 'ai';

export const runtime = 'nodejs';

const kernel = new TGP({ configFile: './tgp.config.ts' });

export async function POST(request: Request) {
  const { messages } = await request.json();
  const { text } = await generateText({
    model: 'openai/gpt-5', // any model of the AI SDK
    tools: tgpTools(kernel),
    system: kernel.getSystemPrompt(),
    stopWhen: stepCountIs(20),
    abortSignal: request.signal,
    messages,
  });
  return Response.json({ text });
}
