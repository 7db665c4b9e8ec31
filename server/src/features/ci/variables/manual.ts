/** Variables that people give one run of a job. */
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { sealed } from './sealing.ts';

export interface ManualVariable {
  readonly key: string;
  readonly value: string;
}

export const manualVariables = ({ secrets }: { readonly secrets: Secrets }, encrypted: Buffer): ManualVariable[] =>
  JSON.parse(secrets.open(encrypted, sealed.manualVariables)) as ManualVariable[];
