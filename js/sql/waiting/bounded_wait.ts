/** Waits for work that may fail or never end. */

/** How long a caller waits for a rollback. After that it continues in the background: nothing can be committed any more. */
export const ROLLBACK_ANSWER_MS = 1_000;

/** Whether work succeeded; never rejects. */
export async function settled(work: () => unknown): Promise<'done' | 'failed'> {
  try {
    await work();
    return 'done';
  } catch {
    return 'failed';
  }
}

/** The result of work, or `late` if it takes longer. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
