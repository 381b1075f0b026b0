/** Templates of what a route does before the agent: the check of the bearer token, and of the messages in the body. */

/** The environment variable with the bearer token of requests. */
export const TOKEN_VARIABLE = 'TGP_AGENT_TOKEN';

/** For the token check: an agent writes tools and spends money, so every route requires a token. */
export const CRYPTO = "import { timingSafeEqual } from 'node:crypto';";

/** The function `isAllowed`. */
export function isAllowed(language: 'ts' | 'js') {
  const typed = language === 'ts';
  return `/** Put your own authentication here: every caller that passes can have the agent write and run tools. */
function isAllowed(authorization${typed ? ': string | null | undefined' : ''})${typed ? ': boolean' : ''} {
  const token = process.env.${TOKEN_VARIABLE} ?? '';
  const actual = Buffer.from(authorization ?? '');
  const expected = Buffer.from(\`Bearer \${token}\`);
  return token !== '' && actual.length === expected.length && timingSafeEqual(actual, expected);
}`;
}

/**
 * The function `messagesOf`. Other roles and parts are refused: with them a caller could forge tool results, or have files
 * downloaded.
 */
export function messagesOf(language: 'ts' | 'js') {
  const typed = language === 'ts';
  const type = "\ntype Message = { role: 'user' | 'assistant'; content: string };\n";
  return `const BAD_REQUEST =
  'The body must be JSON such as { "messages": [{ "role": "user", "content": "…" }] }, with the roles user and assistant.';
${typed ? type : ''}
/** The messages of a request, with text only; undefined if its body is not valid. */
function messagesOf(body${typed ? ': unknown' : ''})${typed ? ': Message[] | undefined' : ''} {
  const messages${typed ? ': unknown' : ''} = Object(body).messages;
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const texts = messages.map((message) => ({ role: message?.role, content: message?.content }));
  const areValid = texts.every(
    ({ role, content }) => ['user', 'assistant'].includes(role) && typeof content === 'string' && content !== '',
  );
  return areValid ? texts : undefined;
}`;
}
