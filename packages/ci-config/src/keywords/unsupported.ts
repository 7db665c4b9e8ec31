/** Job keywords of the ecosystem that this compiler does not carry out, and what leaving each out means. */
import type { Mark, Problems } from '../diagnostics.ts';

// An error where the job would not do its work without it; a warning where the work is done and something beside it is not.
const KEYWORDS: ReadonlyMap<string, 'error' | 'warning'> = new Map([
  ['run', 'error'],
  ['secrets', 'error'],
  ['id_tokens', 'error'],
  ['inputs', 'error'],
  ['pages', 'warning'],
  ['publish', 'warning'],
  ['identity', 'warning'],
  ['manual_confirmation', 'warning'],
  ['dast_configuration', 'warning'],
]);

/** Reports the keyword when it is one of these; false when it is not. */
export function reportUnsupported(keyword: string, path: string, mark: Mark, problems: Problems): boolean {
  const severity = KEYWORDS.get(keyword);
  if (severity === 'error') problems.error(mark, `${path}:${keyword} is not supported yet`);
  if (severity === 'warning') problems.warn(mark, `${path}:${keyword} is not supported yet and is ignored`);
  return severity !== undefined;
}
