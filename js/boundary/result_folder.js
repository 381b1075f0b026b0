/** Where results stand that were too long to be shown. Native code leaves this folder of a root out of Git and of searches. */
export const RESULT_FOLDER = '.results';
