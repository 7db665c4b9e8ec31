/** What the product writes keeps the rules of content that pushes keep. */
import * as git from '@millrace/git';
import { fsckWords } from '../transfer/fsck-reasons.ts';
import type { PushCheck, Refusal } from './push-check.ts';

/** Packs were checked while they were taken in; commits of the API, of pages and merges are objects of our own. */
export const writtenCheck: PushCheck<unknown> = async ({ kind, quarantine, changes }) => {
  if (kind === 'push') return new Map();
  try {
    await git.checkWritten(quarantine);
    return new Map();
  } catch (error) {
    if (!git.isGitError(error, 'corrupt')) throw error;
    const reason = `The change was refused: ${fsckWords(error.stderr).join('; ')}.`;
    return new Map<string, Refusal>(changes.map(({ ref }) => [ref, { reason, kind: 'content' }]));
  }
};
