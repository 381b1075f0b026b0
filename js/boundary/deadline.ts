/** Deadlines for asynchronous work. */

/** The work did not end in time. It may continue in the background. */
export class TooLate extends Error {}

/** The outcome of the work; rejects with TooLate after a timeout. */
export async function beforeDeadline<T>(work: () => Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, ms, new TooLate(`It did not end within ${ms} ms.`));
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
