/** `performance` and `console`, as far as they can be compared. */

const tries = (/** @type {string} */ code) => `try { ${code}; return 'nothing' } catch (error) { return error.name }`;

/** @type {{ name: string, code: string, expected?: unknown }[]} */
export const cases = [
  {
    name: 'now goes up',
    code: 'const a = performance.now(); await new Promise((d) => setTimeout(d, 5)); const b = performance.now(); return [typeof a, b > a, b - a < 5000]',
  },
  { name: 'the origin', code: 'return Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 100' },
  {
    name: 'marks',
    code: "const m = performance.mark('a', { startTime: 5, detail: { x: 1 } }); performance.mark('b', { startTime: 9 }); const d = performance.measure('d', 'a', 'b'); const e = performance.measure('e', { start: 1, end: 4, detail: 2 }); return [m.name, m.entryType, m.startTime, m.duration, m.detail, d.startTime, d.duration, e.duration, e.detail, d.entryType]",
  },
  {
    name: 'entries',
    code: "performance.clearMarks(); performance.clearMeasures(); performance.mark('b', { startTime: 2 }); performance.mark('a', { startTime: 1 }); performance.mark('a', { startTime: 3 }); const o = [performance.getEntriesByType('mark').map((m) => m.name), performance.getEntriesByName('a').length, performance.getEntriesByName('a', 'measure').length]; performance.clearMarks('a'); o.push(performance.getEntriesByType('mark').map((m) => m.name)); return o",
  },
  { name: 'a mark that is not there', code: tries("performance.measure('x', 'nowhere')") },
  { name: 'a mark before the start', code: tries("performance.mark('x', { startTime: -1 })") },
  { name: 'a mark without a name', code: tries('performance.mark()') },
  { name: 'toJSON', code: "return JSON.parse(JSON.stringify(performance.mark('a', { startTime: 1 })))" },
  {
    name: 'classes',
    code: "return [performance instanceof EventTarget, performance instanceof Performance, performance.mark('x') instanceof PerformanceMark, new PerformanceMark('y', { startTime: 1 }).startTime, Object.prototype.toString.call(performance)]",
  },
  {
    name: 'the methods of console',
    code: "return ['assert', 'clear', 'count', 'countReset', 'debug', 'dir', 'dirxml', 'error', 'group', 'groupCollapsed', 'groupEnd', 'info', 'log', 'profile', 'profileEnd', 'table', 'time', 'timeEnd', 'timeLog', 'timeStamp', 'trace', 'warn'].map((m) => [m, typeof console[m], console[m].name, Object.keys(console).includes(m)])",
  },
  {
    name: 'console says nothing back',
    code: "return [console.log('x'), console.table([1]), console.group(), console.groupEnd(), console.time(), console.timeEnd(), console.count(), console.assert(false), console.dir({}), console.trace()].map((x) => x === undefined)",
  },
  {
    name: 'navigator says nothing of the machine',
    code: "return typeof navigator === 'undefined' || navigator.hardwareConcurrency === undefined",
    expected: true,
  },
];
