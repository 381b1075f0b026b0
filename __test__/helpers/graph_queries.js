/** Queries with the rows that a generated history predicts. The rows are computed from its model, never by a query. */

/**
 * @typedef {import('./history_model.js').HistoryModel} HistoryModel
 *
 * @typedef {object} Expected
 * @property {Record<string, unknown>} [params]
 * @property {string} [commit]
 * @property {Record<string, unknown>[]} rows
 * @property {boolean} [isEmpty] that there are no rows is what the query is about
 *
 * @typedef {object} GraphQuery
 * @property {string} name
 * @property {string} cypher with ORDER BY, the order of the rows is compared too
 * @property {(history: HistoryModel) => Expected} expected
 */

/** @param {string} path */
export const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);

/** @param {string} path */
export const folderOf = (path) => path.slice(0, path.lastIndexOf('/'));

/** @param {string} a @param {string} b */
export const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * @param {string} column
 * @param {Iterable<string>} values
 */
export const rowsOf = (column, values) => [...values].map((value) => ({ [column]: value }));

/**
 * The folders of tools, those with the most tools first.
 * @param {HistoryModel} history
 * @param {number} [at]
 */
export function areas(history, at) {
  /** @type {Map<string, string[]>} */
  const tools = new Map();
  for (const path of history.paths('tool', at)) {
    const folder = folderOf(path);
    if (folder.includes('/area_')) tools.set(folder, [...(tools.get(folder) ?? []), path]);
  }
  const sorted = [...tools].sort((a, b) => b[1].length - a[1].length || byText(a[0], b[0]));
  return sorted.map(([folder, paths]) => ({ folder: `${folder}/`, paths }));
}

/**
 * The folder with the most tools.
 * @param {HistoryModel} history
 * @param {number} [at]
 */
export function largestArea(history, at) {
  const [area] = areas(history, at);
  if (area === undefined) throw new Error('The generated history has no folder of tools.');
  return area;
}
