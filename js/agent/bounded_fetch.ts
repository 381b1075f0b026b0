/** `fetch` for model providers: responses are limited in size, and redirects are refused so that a key is not sent elsewhere. */

/** Larger than any turn of a model with its stream overhead. */
const MAX_ANSWER_BYTES = 64 << 20;
const NO_API = 'The address returned a web page instead of an API response. Check the address; most end in /v1.';

/** `fetch` with a size limit, for the provider packages. */
export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  // A redirect would send the key to another server.
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
