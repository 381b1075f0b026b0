/** What a statement gives to whoever asked: its rows, or one row that says how many it changed. */

/**
 * @param {import('./adapter.js').SqlAnswer} answer
 * @returns {string} JSON
 */
export function answerText({ rows, affected }) {
  return rows ?? JSON.stringify([{ affected }]);
}

/**
 * @param {import('./adapter.js').SqlAnswer} answer
 * @returns {any[]}
 */
export function answerRows(answer) {
  return JSON.parse(answerText(answer));
}
