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

const BAD_REQUEST =
  'The body must be JSON such as { "messages": [{ "role": "user", "content": "…" }] }, with the roles user and assistant.';

type Message = { role: 'user' | 'assistant'; content: string };

/** The messages of a request, with text only; undefined if its body is not valid. */
function messagesOf(body: unknown): Message[] | undefined {
  const messages: unknown = Object(body).messages;
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const texts = messages.map((message) => ({ role: message?.role, content: message?.content }));
  const areValid = texts.every(
    ({ role, content }) => ['user', 'assistant'].includes(role) && typeof content === 'string' && content !== '',
  );
  return areValid ? texts : undefined;
}

export async function POST(request: Request) {
  if (!isAllowed(request.headers.get('authorization'))) return new Response('Unauthorized', { status: 401 });
  const messages = messagesOf(await request.json().catch(() => undefined));
  if (!messages) return Response.json({ error: BAD_REQUEST }, { status: 400 });
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
