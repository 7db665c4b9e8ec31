/** What must never appear in a job's log. */
import type { JobPayload } from './protocol.ts';
import { remoteOf } from './sources.ts';
import { resolveVariables } from './variables.ts';

/** Masked variables (as given and expanded), and every token of the payload. */
export function secretsOf(job: JobPayload): string[] {
  const variables = resolveVariables(job.variables ?? [], (name) => name);
  const tokens = [
    job.token,
    remoteOf(job.git_info.repo_url).password,
    ...(job.dependencies ?? []).map(({ token }) => token),
  ];
  return [...variables.masked, ...tokens].filter(Boolean);
}
