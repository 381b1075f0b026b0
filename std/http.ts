/** HTTP requests that throw on failure. `allowedFetchUrls` in the configuration decides which URLs are allowed. */

/** A response with an error status. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: string;
  constructor(status: number, url: string, body: string) {
    super(`${url} answered ${status}: ${body.slice(0, 200)}`);
    this.name = 'HttpError';
    this.status = status;
    this.body = body;
  }
}

export type Query = Record<string, string | number | boolean | null | undefined>;

/** Adds query parameters to a URL; parameters without a value are omitted. */
export function withQuery(url: string, query: Query): string {
  const built = new URL(url);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) built.searchParams.set(name, String(value));
  }
  return built.href;
}

async function succeeded(response: Response, url: string): Promise<Response> {
  if (!response.ok) throw new HttpError(response.status, url.split('?')[0] as string, await response.text());
  return response;
}

/** Fetches JSON. */
export async function getJson<T = unknown>(
  url: string,
  init?: { headers?: Record<string, string>; query?: Query; signal?: AbortSignal },
): Promise<T> {
  const target = init?.query ? withQuery(url, init.query) : url;
  const response = await fetch(target, {
    headers: { accept: 'application/json', ...init?.headers },
    signal: init?.signal ?? null,
  });
  return (await succeeded(response, url)).json() as Promise<T>;
}

/** Sends JSON and returns the JSON response. */
export async function postJson<T = unknown>(
  url: string,
  body: unknown,
  init?: { method?: 'POST' | 'PUT' | 'PATCH'; headers?: Record<string, string>; signal?: AbortSignal },
): Promise<T> {
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...init?.headers };
  const response = await fetch(url, {
    method: init?.method ?? 'POST',
    headers,
    body: JSON.stringify(body),
    signal: init?.signal ?? null,
  });
  return (await succeeded(response, url)).json() as Promise<T>;
}

const RETRYABLE_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Retries failed work with exponential backoff, except after permanent HTTP errors. */
export async function retry<T>(
  work: () => Promise<T>,
  { attempts = 3, waitMs = 200 }: { attempts?: number; waitMs?: number } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isPermanent = error instanceof HttpError && !RETRYABLE_STATUSES.has(error.status);
      if (isPermanent || attempt >= attempts) throw error;
      await new Promise((done) => setTimeout(done, waitMs * 2 ** (attempt - 1)));
    }
  }
}
