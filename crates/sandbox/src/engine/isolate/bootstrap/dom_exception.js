// `DOMException` with its legacy codes.
(function domException(/** @type {Realm} */ realm) {
  const { defineProperty, give, tag } = realm;

  // Name of the constant and of the error, in the order of their codes; some codes are no longer in use.
  /** @type {[constant: string, name: string | undefined][]} */
  const CODES = [
    ['INDEX_SIZE_ERR', 'IndexSizeError'],
    ['DOMSTRING_SIZE_ERR', undefined],
    ['HIERARCHY_REQUEST_ERR', 'HierarchyRequestError'],
    ['WRONG_DOCUMENT_ERR', 'WrongDocumentError'],
    ['INVALID_CHARACTER_ERR', 'InvalidCharacterError'],
    ['NO_DATA_ALLOWED_ERR', undefined],
    ['NO_MODIFICATION_ALLOWED_ERR', 'NoModificationAllowedError'],
    ['NOT_FOUND_ERR', 'NotFoundError'],
    ['NOT_SUPPORTED_ERR', 'NotSupportedError'],
    ['INUSE_ATTRIBUTE_ERR', 'InUseAttributeError'],
    ['INVALID_STATE_ERR', 'InvalidStateError'],
    ['SYNTAX_ERR', 'SyntaxError'],
    ['INVALID_MODIFICATION_ERR', 'InvalidModificationError'],
    ['NAMESPACE_ERR', 'NamespaceError'],
    ['INVALID_ACCESS_ERR', 'InvalidAccessError'],
    ['VALIDATION_ERR', undefined],
    ['TYPE_MISMATCH_ERR', 'TypeMismatchError'],
    ['SECURITY_ERR', 'SecurityError'],
    ['NETWORK_ERR', 'NetworkError'],
    ['ABORT_ERR', 'AbortError'],
    ['URL_MISMATCH_ERR', 'URLMismatchError'],
    ['QUOTA_EXCEEDED_ERR', 'QuotaExceededError'],
    ['TIMEOUT_ERR', 'TimeoutError'],
    ['INVALID_NODE_TYPE_ERR', 'InvalidNodeTypeError'],
    ['DATA_CLONE_ERR', 'DataCloneError'],
  ];

  /** @param {string} name */
  const codeOf = (name) => {
    for (let i = 0; i < CODES.length; i++) if (CODES[i][1] === name) return i + 1;
    return 0;
  };

  let isFinished = false;
  // The constants are defined when a guest first uses the class or an error of it; most runs use neither.
  const finish = () => {
    if (isFinished) return;
    isFinished = true;
    for (let i = 0; i < CODES.length; i++) {
      const constant = { __proto__: null, value: i + 1, writable: false, enumerable: true, configurable: false };
      defineProperty(DOMException, CODES[i][0], constant);
      defineProperty(DOMException.prototype, CODES[i][0], constant);
    }
  };

  class DOMException extends realm.Error {
    #name;
    #message;
    constructor(message = '', /** @type {Guest} */ options = 'Error') {
      super();
      finish();
      const named = options !== null && typeof options === 'object';
      this.#message = `${message}`;
      this.#name = `${(named ? options.name : options) ?? 'Error'}`;
      if (named && 'cause' in options) realm.define(this, 'cause', options.cause);
    }
    get name() {
      return this.#name;
    }
    get message() {
      return this.#message;
    }
    get code() {
      return codeOf(this.#name);
    }
    static {
      realm.isDOMException = (value) => #name in value;
    }
  }

  realm.DOMException = DOMException;
  tag('DOMException', DOMException);
  give('DOMException', DOMException, finish);
});
