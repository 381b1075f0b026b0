/** The answer of a statement as JSON: its rows, or one row with the number of affected rows. */

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
