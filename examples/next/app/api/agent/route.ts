import { timingSafeEqual } from 'node:crypto';
import { TGP, tgpTools } from '@tgp/core';
import { generateText, stepCountIs } from 'ai';

const kernel = new TGP({ configFile: './tgp.config.ts' });

/** Put your own authentication here: every caller that passes can have the agent write and run tools. */
function isAllowed(authorization: string | null | undefined): boolean {
  const token = process.env.TGP_AGENT_TOKEN ?? '';
  const actual = Buffer.from(authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return token !== '' && actual.length === expected.length && timingSafeEqual(actual, expected);
}

export async function POST(request: Request) {
  if (!isAllowed(request.headers.get('authorization'))) return new Response('Unauthorized', { status: 401 });
  const { messages } = await request.json();
  await kernel.boot();
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
