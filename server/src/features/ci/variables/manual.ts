/** Variables that people give one run of a job. */
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { sealed } from './sealing.ts';

export interface ManualVariable {
  readonly key: string;
  readonly value: string;
}

/** `encrypted` as a job keeps them; null for none. */
export const manualVariables = (
  { secrets }: { readonly secrets: Secrets },
  encrypted: Buffer | null,
): ManualVariable[] =>
  encrypted === null ? [] : (JSON.parse(secrets.open(encrypted, sealed.manualVariables)) as ManualVariable[]);
