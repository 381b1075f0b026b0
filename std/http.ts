/** Requests that fail loudly. What may be fetched is decided by `allowedFetchUrls` of the configuration. */

/** An answer that was not a success. */
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

/** The URL with these parameters added; those without a value are left out. */
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

/** The JSON at a URL. */
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

/** Sends JSON and returns the JSON of the answer. */
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

const WORTH_ANOTHER_TRY = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Tries again, each time after twice the wait, while the answer says that it may work later. */
export async function retry<T>(
  work: () => Promise<T>,
  { attempts = 3, waitMs = 200 }: { attempts?: number; waitMs?: number } = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const hopeless = error instanceof HttpError && !WORTH_ANOTHER_TRY.has(error.status);
      if (hopeless || attempt >= attempts) throw error;
      await new Promise((done) => setTimeout(done, waitMs * 2 ** (attempt - 1)));
    }
  }
}
