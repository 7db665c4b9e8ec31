/** The wiki of a project or group that another server keeps as a repository beside that of the code. */
import { isGitError } from '@millrace/git';
import type { Subject } from '../../../kernel/authz/subjects.ts';
import { BrokenOff } from '../../../kernel/outbound/index.ts';
import { RefusedRemote } from '../project-archives/http-fetch.ts';
import type { UrlImports } from '../project-archives/url-imports.ts';
import type { Part } from './provider.ts';

export const wikiAt = (cloneUrl: string): string => `${cloneUrl.replace(/\.git$/, '')}.wiki.git`;

/** An import goes on without a wiki that cannot be fetched; servers have one or none without saying so before. */
export const wikiPart = (
  urlImports: Pick<UrlImports, 'wiki'>,
  subject: Subject,
  address: string,
  signal: AbortSignal,
): Part => ({
  name: 'wiki',
  async *take() {
    try {
      if (await urlImports.wiki(subject, address, signal)) yield null;
    } catch (error) {
      yield whyNotFetched(error);
    }
  },
});

const refusals: ReadonlySet<string> = new Set(['corrupt', 'limit', 'invalid']);

/** What is wrong with a repository there; throws what is wrong here. */
export function whyNotFetched(error: unknown): string {
  const known =
    error instanceof RefusedRemote || error instanceof BrokenOff || (isGitError(error) && refusals.has(error.code));
  if (!known) throw error;
  return error.message;
}
