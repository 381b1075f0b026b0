/** How providers are asked: what they answer is read up to a limit, and a key goes to nobody that they name. */

/** More than any model says in one turn, with all that streams say around each word. */
const MAX_ANSWER_BYTES = 64 << 20;
const NO_API = 'The address answers with a web page and is no API of a provider. Check it; most end in /v1.';

/**
 * `fetch`, for the packages of providers.
 * @type {typeof fetch}
 */
export async function boundedFetch(input, init) {
  // A redirect would take the key along to wherever it leads.
  const answer = await fetch(input, { ...init, redirect: 'error' });
  if (answer.body === null) return answer;
  if (answer.ok && /^text\/html\b/i.test(answer.headers.get('content-type') ?? '')) {
    await answer.body.cancel();
    return Response.json({ error: { message: NO_API } }, { status: 404 });
  }
  let bytes = 0;
  const bounded = new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes <= MAX_ANSWER_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`The provider's answer is longer than ${MAX_ANSWER_BYTES >> 20} MB.`));
    },
  });
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(bounded), { status, statusText, headers });
}
