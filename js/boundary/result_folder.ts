/** Folder of the root for results that are too long to show. The native part excludes it from Git and from searches. */
export const RESULT_FOLDER = '.results';
