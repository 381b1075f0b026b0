// `fetch`: describes the request; the host checks and performs it.
(function fetching(/** @type {Realm} */ realm, /** @type {Natives} */ native) {
  const { ask, give, isAborted, isSignal, own, put, reasonOf } = realm;

  let lastToken = 0;

  const REFUSED =
    'The body of a request must be text, bytes, a Blob, a form, a stream or URLSearchParams; use JSON.stringify for objects';

  /** @param {Guest} value */
  const isPlain = (value) =>
    (typeof value === 'object' || typeof value === 'function') &&
    realm.bytesOf(value) === undefined &&
    !realm.isSearchParams(value) &&
    !realm.isBlob(value) &&
    !realm.isFormData(value) &&
    realm.readable?.isStream(value) !== true;

  /** @param {Bytes} bytes */
  const encoded = (bytes) => {
    const { call: most } = realm.most;
    if ((realm.typedArrayBytes(bytes) / 3) * 4 > most) {
      const message = `The body of the request would be more than ${most} bytes of base64 (sandbox.argsBytes). Send less at a time.`;
      throw realm.hostError('ERR_LIMIT', message);
    }
    return native.base64(bytes);
  };

  /** @param {Guest} input @param {RequestRecord | undefined} from @param {Guest} init @param {number} token */
  const describeRequest = (input, from, init, token) => {
    /** @type {Table<any>} */
    const request = { __proto__: null, token, url: from?.url ?? realm.hrefOf(input) ?? `${input}` };
    const method = init.method ?? from?.method;
    const redirect = init.redirect ?? from?.redirect;
    if (method !== undefined) request.method = `${method}`;
    if (redirect !== undefined) request.redirect = `${redirect}`;
    request.headers = realm.flatHeaders(init.headers ?? from?.headers);
    return request;
  };

  /** @param {RequestRecord | undefined} from @param {Guest} init */
  const bodyOf = (from, init) => {
    const input = init.body ?? undefined;
    if (input !== undefined && isPlain(input)) throw new realm.TypeError(REFUSED);
    const body = input === undefined ? from?.body : realm.toBody(input);
    if (body !== undefined && !realm.isUsableBody(body)) {
      throw new realm.TypeError('The body of the request was read before, or is locked');
    }
    return body;
  };

  // Resolving a promise reads `then`: without a prototype, that is not the guest's.
  /** @param {Guest} answer */
  const bare = (answer) => ({ __proto__: null, ...answer });

  /** @param {Guest} input @param {Guest} init */
  async function fetch(input, init) {
    realm.need('bodies');
    const options = init ?? { __proto__: null };
    const from = realm.requestOf(input);
    const signal = options.signal === undefined ? from?.signal : options.signal;
    if (signal !== undefined && signal !== null && !isSignal(signal)) {
      throw new realm.TypeError('The signal of a request must be an AbortSignal');
    }
    const watched = signal ?? undefined;
    if (watched !== undefined && isAborted(watched)) throw reasonOf(watched);
    lastToken += 1;
    const token = lastToken;
    // As in browsers, a failed request is a TypeError.
    const fault = new realm.TypeError();
    const request = describeRequest(input, from, options, token);
    const body = bodyOf(from, options);
    if (body?.type !== undefined) put(request, 'type', body.type);
    if (body?.stream !== undefined) {
      put(request, 'base64', encoded((await own(realm.takeBytes(body))).bytes));
      if (watched !== undefined && isAborted(watched)) throw reasonOf(watched);
    } else if (body !== undefined) {
      body.isUsed = true;
      if (body.text === undefined) put(request, 'base64', encoded(realm.bytesInBody(body)));
      else put(request, 'text', body.text);
    }
    const reply = ask('#fetch', [request], fault, bare);
    const answer = watched === undefined ? reply : realm.abortable(reply, watched, token);
    return realm.responseFrom(await own(answer));
  }

  give('fetch', fetch);
});
