/** `only`: the refs, expressions or changes that a job runs for. */
import { policyKeyword } from './policy.ts';

export const only = policyKeyword('only');
