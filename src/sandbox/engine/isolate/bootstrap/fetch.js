// `fetch`: the request is described here and made by the host, which decides whether it may be.
(function fetching(realm, native) {
  const { Uint8Array, addListener, ask, bytesOf, define, give, isAborted, isSignal, put, reasonOf } = realm;

  const KEY = {};
  const BOM = '\ufeff';
  let lastToken = 0;

  class Response {
    #answer;
    #headers;
    #used = false;
    constructor(key, answer) {
      if (key !== KEY) throw new realm.TypeError('Illegal constructor: responses come from fetch');
      this.#answer = answer;
      this.#headers = realm.headersFrom(answer.headers);
    }
    get ok() {
      return this.#answer.status >= 200 && this.#answer.status < 300;
    }
    get status() {
      return this.#answer.status;
    }
    get statusText() {
      return this.#answer.statusText;
    }
    get url() {
      return this.#answer.url;
    }
    get redirected() {
      return this.#answer.redirected;
    }
    get headers() {
      return this.#headers;
    }
    get bodyUsed() {
      return this.#used;
    }
    async text() {
      return this.#text();
    }
    async json() {
      return realm.JSONParse(this.#text());
    }
    async arrayBuffer() {
      const { text, base64 } = this.#take();
      if (base64 === undefined) return realm.typedArrayBuffer(realm.encodeText(text));
      const binary = native.atob(base64);
      const bytes = new Uint8Array(binary.length);
      native.latin1Write(binary, bytes);
      return realm.typedArrayBuffer(bytes);
    }
    #take() {
      if (this.#used) throw new realm.TypeError('The body of this response was read before');
      this.#used = true;
      const { text, base64 } = this.#answer;
      return { __proto__: null, text, base64 };
    }
    #text() {
      const { text, base64 } = this.#take();
      if (base64 === undefined) return text[0] === BOM ? realm.slice(text, 1) : text;
      const binary = native.atob(base64);
      const bytes = new Uint8Array(binary.length);
      native.latin1Write(binary, bytes);
      return native.decode('utf-8', bytes, false, false);
    }
  }
  realm.tag('Response', Response);

  const base64Of = (bytes) => {
    const { call: most } = realm.most;
    if ((realm.typedArrayBytes(bytes) / 3) * 4 > most) {
      const message = `The body of the request would be more than ${most} bytes of base64 (sandbox.argsBytes). Send less at a time.`;
      throw realm.hostError('ERR_LIMIT', message);
    }
    return native.base64(bytes);
  };

  const setBody = (request, body) => {
    if (body === undefined || body === null) return;
    const bytes = typeof body === 'object' ? bytesOf(body) : undefined;
    if (bytes !== undefined) {
      put(request, 'base64', base64Of(bytes));
      return;
    }
    if (realm.isSearchParams(body)) {
      put(request, 'text', realm.searchParamsText(body));
      put(request, 'type', 'application/x-www-form-urlencoded;charset=UTF-8');
      return;
    }
    if (typeof body === 'object' || typeof body === 'function') {
      throw new realm.TypeError('The body of a request is text, bytes or URLSearchParams; use JSON.stringify for objects');
    }
    put(request, 'text', `${body}`);
    put(request, 'type', 'text/plain;charset=UTF-8');
  };

  const describeRequest = (input, init, token) => {
    const request = { __proto__: null, token, url: realm.hrefOf(input) ?? `${input}` };
    if (init.method !== undefined) request.method = `${init.method}`;
    if (init.redirect !== undefined) request.redirect = `${init.redirect}`;
    request.headers = realm.flatHeaders(init.headers);
    setBody(request, init.body);
    return request;
  };

  const abortable = (answer, signal, token) =>
    new realm.Promise((resolve, reject) => {
      addListener(signal, 'abort', () => {
        reject(reasonOf(signal));
        // The host stops the request; nobody waits for what it says to that.
        realm.then(
          ask('#fetch_abort', [token]),
          () => {},
          () => {},
        );
      });
      define(answer, 'constructor', realm.Promise);
      realm.then(answer, resolve, reject);
    });

  async function fetch(input, init) {
    const options = init ?? { __proto__: null };
    const { signal } = options;
    if (signal !== undefined && signal !== null && !isSignal(signal)) {
      throw new realm.TypeError('The signal of a request is an AbortSignal');
    }
    const watched = signal ?? undefined;
    if (watched !== undefined && isAborted(watched)) throw reasonOf(watched);
    lastToken += 1;
    const token = lastToken;
    const asked = ask('#fetch', [describeRequest(input, options, token)]);
    const answer = watched === undefined ? asked : abortable(asked, watched, token);
    // `await` and `then` look for it on the promise, and its prototype is the guest's to change.
    define(answer, 'constructor', realm.Promise);
    return new Response(KEY, await answer);
  }

  give('fetch', fetch);
});
