// `Response`: created by a guest, or from an answer of the host.
(function responses(/** @type {Realm} */ realm, /** @type {LazyNatives} */ native) {
  const { Headers, Uint8Array, fixHeaders, give, headerOf, setHeader, tag } = realm;

  const KEY = { __proto__: null };

  /** @param {number} status */
  const isBodiless = (status) => status === 101 || status === 103 || status === 204 || status === 205 || status === 304;
  /** @param {number} status */
  const isRedirect = (status) => status === 301 || status === 302 || status === 303 || status === 307 || status === 308;

  /** @param {Guest} value */
  const statusTextOf = (value) => {
    const text = `${value}`;
    for (let i = 0; i < text.length; i++) {
      const isWrong = (text[i] < ' ' && text[i] !== '\t') || text[i] === '\x7f' || text[i] > '\xff';
      if (isWrong) throw new realm.TypeError('Invalid statusText');
    }
    return text;
  };

  /** @param {string} type @param {number} status @returns {ResponseRecord} */
  const newRecord = (type, status) => ({
    __proto__: null,
    type,
    status,
    statusText: '',
    url: '',
    redirected: false,
    headers: undefined,
    body: undefined,
  });

  // Reads an unsigned short as Web IDL does.
  /** @param {Guest} value */
  const statusOf = (value) => {
    const status = realm.trunc(+value);
    if (!(status >= 200 && status <= 599))
      throw new realm.RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    return status;
  };

  /** @param {ResponseRecord} record @param {Body | undefined} body @param {Guest} options */
  const fill = (record, body, options) => {
    if (options.status !== undefined) record.status = statusOf(options.status);
    if (options.statusText !== undefined) record.statusText = statusTextOf(options.statusText);
    record.headers = new Headers(options.headers === null ? undefined : options.headers);
    if (body === undefined) return;
    if (isBodiless(record.status))
      throw new realm.TypeError(`Response constructor: Invalid response status code ${record.status}`);
    record.body = body;
    if (body.type !== undefined && headerOf(record.headers, 'content-type') === undefined) {
      setHeader(record.headers, 'content-type', body.type);
    }
  };

  class Response {
    /** @type {ResponseRecord} */
    #record;
    /** @param {Guest} [body] @param {Guest} [init] @param {Guest} [key] */
    constructor(body = undefined, init = undefined, key = undefined) {
      if (key === KEY) {
        this.#record = init;
        return;
      }
      if (init !== undefined && init !== null && typeof init !== 'object' && typeof init !== 'function') {
        throw new realm.TypeError('The options of a response must be an object');
      }
      this.#record = newRecord('default', 200);
      fill(
        this.#record,
        body === undefined || body === null ? undefined : realm.toBody(body),
        init ?? { __proto__: null },
      );
    }
    static error() {
      const record = newRecord('error', 0);
      record.headers = fixHeaders(new Headers());
      return new Response(undefined, record, KEY);
    }
    /** @param {Guest} url @param {Guest} status */
    static redirect(url, status) {
      const text = native.urlParse(`${url}`);
      if (text === undefined) throw new realm.TypeError(`Failed to parse URL from ${realm.textOf(`${url}`)}`);
      const code = status === undefined ? 302 : +status;
      if (!isRedirect(code)) throw new realm.RangeError(`Invalid status code ${code}`);
      const record = newRecord('default', code);
      record.headers = new Headers();
      setHeader(record.headers, 'location', realm.slice(text, 0, realm.indexOf(text, '\n')));
      fixHeaders(record.headers);
      return new Response(undefined, record, KEY);
    }
    /** @param {Guest} data @param {Guest} init */
    static json(data, init) {
      realm.needArguments(arguments.length, 1, 'Response.json');
      const text = realm.JSONStringify(data);
      if (text === undefined) throw new realm.TypeError('Value is not JSON serializable');
      const record = newRecord('default', 200);
      fill(record, realm.textBody(text, 'application/json'), init ?? { __proto__: null });
      return new Response(undefined, record, KEY);
    }
    get type() {
      return this.#record.type;
    }
    get url() {
      return this.#record.url;
    }
    get redirected() {
      return this.#record.redirected;
    }
    get status() {
      return this.#record.status;
    }
    get ok() {
      return this.#record.status >= 200 && this.#record.status < 300;
    }
    get statusText() {
      return this.#record.statusText;
    }
    get headers() {
      return this.#record.headers;
    }
    clone() {
      const record = { __proto__: null, ...this.#record };
      if (record.body !== undefined) record.body = realm.copyBody(record.body);
      record.headers = realm.copyHeaders(record.headers);
      return new Response(undefined, record, KEY);
    }
    static {
      realm.addBody(
        Response,
        (response) => response.#record.body,
        (response) => headerOf(response.#record.headers, 'content-type'),
      );
    }
  }

  // The response for an answer of the host.
  realm.responseFrom = (answer) => {
    const record = newRecord('basic', answer.status);
    record.statusText = answer.statusText;
    record.url = answer.url;
    record.redirected = answer.redirected;
    record.headers = realm.headersFrom(answer.headers);
    if (isBodiless(record.status)) return new Response(undefined, record, KEY);
    if (answer.base64 === undefined) record.body = realm.textBody(answer.text);
    else {
      const binary = native.atob(answer.base64) ?? '';
      const bytes = new Uint8Array(binary.length);
      native.latin1Write(binary, bytes);
      record.body = realm.bytesBody(bytes);
    }
    return new Response(undefined, record, KEY);
  };

  tag('Response', Response);
  give('Response', Response);
});
