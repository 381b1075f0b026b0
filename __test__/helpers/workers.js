import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of this process's sandbox workers. */
export function workers() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return stat.includes('(tgp-sandbox)') && Number(parent) === process.pid && state !== 'Z';
      } catch {
        return false;
      }
    })
    .map(Number);
}
