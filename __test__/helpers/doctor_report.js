/** A check of the doctor's report. @param {any} report @param {string} name */
export const find = (report, name) => report.checks.find((/** @type {any} */ check) => check.name === name);

/** The names of the checks that failed. @param {any} report @returns {string[]} */
export const problems = (report) =>
  report.checks.flatMap((/** @type {any} */ { name, status }) => (status === 'problem' ? [name] : []));
