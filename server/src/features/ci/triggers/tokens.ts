/** The text of trigger tokens: sealed at rest, whole for one person, shortened for all others. */
import type { PipelineTrigger } from '../../../kernel/db/rows.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import { isOfKind, type Secrets } from '../../../kernel/secrets/index.ts';
import { sealed } from '../variables/sealing.ts';

export const openTrigger = (
  { secrets }: { readonly secrets: Secrets },
  { token_sealed }: Pick<PipelineTrigger, 'token_sealed'>,
): string => secrets.open(token_sealed, sealed.triggerToken);

/** What of a token others may see, and jobs: four characters. */
export const shortToken = (token: string): string =>
  (isOfKind(token, tokenPrefixes.trigger)
    ? token.slice(token.indexOf(tokenPrefixes.trigger) + tokenPrefixes.trigger.length)
    : token
  ).slice(0, 4);
