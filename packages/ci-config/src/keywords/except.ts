/** `except`: the refs, expressions or changes that a job does not run for. */
import { policyKeyword } from './policy.ts';

export const except = policyKeyword('except');
