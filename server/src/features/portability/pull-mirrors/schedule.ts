/** When a pull mirror is updated again. */

/** After so many failures in a row it is only updated when somebody asks for it. */
const mostFailures = 14;
const minute = 60_000;
const usual = 30 * minute;
/** Between two updates, whoever asks. */
export const apart = 5 * minute;

/** Milliseconds until the next update; null for a mirror that failed too often. `maxDelay` is in minutes. */
export function delayAfter(failures: number, maxDelay: number): number | null {
  if (failures >= mostFailures) return null;
  return Math.min(usual * Math.max(1, failures), maxDelay * minute);
}
