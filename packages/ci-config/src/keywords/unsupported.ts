/** Job keywords of the ecosystem that this compiler does not carry out: the job does its work without them. */
import type { Mark, Problems } from '../diagnostics.ts';

const IGNORED: ReadonlySet<string> = new Set(['dast_configuration']);

/** Warns of the keyword when it is one of these; false when it is not. */
export function reportUnsupported(keyword: string, path: string, mark: Mark, problems: Problems): boolean {
  if (!IGNORED.has(keyword)) return false;
  problems.warn(mark, `${path}:${keyword} is not supported yet and is ignored`);
  return true;
}
