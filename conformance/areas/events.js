/** `Event`, `CustomEvent`, `EventTarget`, `AbortSignal`, `DOMException`. */

const tries = (/** @type {string} */ code) => `try { ${code}; return 'nothing' } catch (error) { return error.name }`;

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  {
    name: 'a listener ends with its signal',
    code: "const t = new EventTarget(), a = new AbortController(); let n = 0; t.addEventListener('x', () => n++, { signal: a.signal }); t.dispatchEvent(new Event('x')); a.abort(); t.dispatchEvent(new Event('x')); return n",
  },
  {
    name: 'a signal that has fired adds no listener',
    code: "const t = new EventTarget(); let n = 0; t.addEventListener('x', () => n++, { signal: AbortSignal.abort() }); t.dispatchEvent(new Event('x')); return n",
  },
  {
    name: 'a listener that removes the next one by its signal',
    code: "const t = new EventTarget(), a = new AbortController(); const o = []; t.addEventListener('x', () => { o.push(1); a.abort() }); t.addEventListener('x', () => o.push(2), { signal: a.signal }); t.dispatchEvent(new Event('x')); return o",
  },
  { name: 'a signal of null', code: tries("new EventTarget().addEventListener('x', () => {}, { signal: null })") },
  { name: 'a signal that is none', code: tries("new EventTarget().addEventListener('x', () => {}, { signal: {} })") },
  {
    name: 'passive listeners prevent nothing',
    code: "const t = new EventTarget(); t.addEventListener('x', (e) => e.preventDefault(), { passive: true }); const e = new Event('x', { cancelable: true }); return [t.dispatchEvent(e), e.defaultPrevented]",
    // Node 20 allows them.
    expected: [true, false],
  },
  {
    name: 'once, capture and twice',
    code: "const t = new EventTarget(); const o = []; const f = () => o.push('f'); t.addEventListener('x', f); t.addEventListener('x', f); t.addEventListener('x', f, true); t.addEventListener('x', () => o.push('once'), { once: true }); t.dispatchEvent(new Event('x')); t.removeEventListener('x', f); t.dispatchEvent(new Event('x')); t.removeEventListener('x', f, { capture: true }); t.dispatchEvent(new Event('x')); return o",
  },
  {
    name: 'a handler that is an object',
    code: "const t = new EventTarget(); const h = { n: 0, handleEvent(e) { this.n += e.type.length } }; t.addEventListener('abc', h); t.dispatchEvent(new Event('abc')); return h.n",
  },
  {
    name: 'composedPath, target and phase',
    code: "const t = new EventTarget(); const o = []; t.addEventListener('x', (e) => o.push(e.composedPath().length, e.composedPath()[0] === t, e.eventPhase, e.currentTarget === t, e.target === t, e.srcElement === t)); const e = new Event('x'); t.dispatchEvent(e); return [...o, e.composedPath(), e.eventPhase, e.currentTarget, e.target === t]",
  },
  {
    name: 'what an event says of itself',
    code: "const e = new Event('x', { bubbles: true, composed: 1, cancelable: 0 }); return [e.type, e.bubbles, e.composed, e.cancelable, e.isTrusted, e.returnValue, e.cancelBubble, typeof e.timeStamp, Event.NONE, Event.CAPTURING_PHASE, Event.AT_TARGET, Event.BUBBLING_PHASE, String(e), e.defaultPrevented]",
  },
  {
    name: 'returnValue and cancelBubble',
    code: "const e = new Event('x', { cancelable: true }); e.preventDefault(); e.stopPropagation(); return [e.returnValue, e.cancelBubble, e.defaultPrevented]",
  },
  {
    name: 'stopImmediatePropagation',
    code: "const t = new EventTarget(); const o = []; t.addEventListener('x', (e) => { o.push(1); e.stopImmediatePropagation() }); t.addEventListener('x', () => o.push(2)); t.dispatchEvent(new Event('x')); return o",
  },
  {
    name: 'CustomEvent',
    code: "const e = new CustomEvent('x', { detail: { a: 1 }, cancelable: true }); return [e.detail, e.type, e.cancelable, e instanceof Event, new CustomEvent('y').detail, Object.prototype.toString.call(e), CustomEvent.length]",
  },
  { name: 'an event without a type', code: tries('new Event()') },
  { name: 'a CustomEvent without a type', code: tries('new CustomEvent()') },
  { name: 'dispatch of what is no event', code: tries("new EventTarget().dispatchEvent({ type: 'x' })") },
  { name: 'a listener that is none', code: tries("new EventTarget().addEventListener('x', 1)") },
  {
    name: 'an event that is dispatched while it is',
    code: "const t = new EventTarget(); let name; t.addEventListener('x', (e) => { try { t.dispatchEvent(e) } catch (error) { name = [error.name, error.code] } }); t.dispatchEvent(new Event('x')); return typeof name",
  },
  {
    name: 'abort: tasks, followers, reasons',
    code: "const a = new AbortController(), b = AbortSignal.any([a.signal]), c = AbortSignal.any([b, AbortSignal.any([])]); const o = []; c.onabort = (e) => o.push('c', e.type, e.isTrusted, c.reason); b.addEventListener('abort', () => o.push('b', c.aborted)); a.signal.addEventListener('abort', () => o.push('a', b.aborted)); a.abort('why'); a.abort('again'); return [o, a.signal.reason, AbortSignal.any([AbortSignal.abort(3)]).reason]",
    // Node 20 notifies following signals one after the other.
    expected: [['a', true, 'b', true, 'c', 'abort', true, 'why'], 'why', 3],
  },
  {
    name: 'abort: the standard reason',
    code: 'const { reason } = AbortSignal.abort(); return [reason.name, reason.code, reason instanceof DOMException, reason instanceof Error]',
  },
  {
    name: 'timeout',
    code: "const s = AbortSignal.timeout(1); await new Promise((d) => s.addEventListener('abort', d)); return [s.reason.name, s.reason.code, s.aborted]",
  },
  { name: 'throwIfAborted', code: tries('AbortSignal.abort().throwIfAborted()') },
  { name: 'no signal by new', code: tries('new AbortSignal()') },
  {
    name: 'DOMException: codes',
    code: "const names = ['IndexSizeError', 'HierarchyRequestError', 'WrongDocumentError', 'InvalidCharacterError', 'NoModificationAllowedError', 'NotFoundError', 'NotSupportedError', 'InUseAttributeError', 'InvalidStateError', 'SyntaxError', 'InvalidModificationError', 'NamespaceError', 'InvalidAccessError', 'TypeMismatchError', 'SecurityError', 'NetworkError', 'AbortError', 'URLMismatchError', 'TimeoutError', 'InvalidNodeTypeError', 'DataCloneError', 'EncodingError', 'OperationError', 'Mine']; return names.map((name) => new DOMException('m', name).code)",
  },
  {
    name: 'DOMException: constants',
    code: "const shown = (o) => ['INDEX_SIZE_ERR', 'DOMSTRING_SIZE_ERR', 'VALIDATION_ERR', 'QUOTA_EXCEEDED_ERR', 'DATA_CLONE_ERR'].map((k) => Object.getOwnPropertyDescriptor(o, k)); return [shown(DOMException), shown(DOMException.prototype), new DOMException().ABORT_ERR]",
  },
  {
    name: 'DOMException: members',
    code: "const e = new DOMException('m', 'AbortError'); return [e.message, e.name, e.code, String(e), Object.keys(e), Object.hasOwn(e, 'name'), Object.hasOwn(e, 'message'), e instanceof Error, Object.prototype.toString.call(e), new DOMException().name, new DOMException().message, typeof e.stack]",
  },
  {
    name: 'DOMException: a cause',
    code: "const e = new DOMException('m', { name: 'N', cause: 1 }); return [e.name, e.cause, new DOMException('m', { name: 'N' }).cause]",
  },
];
