/** Who is behind the secrets of a request. */
export { addressLimit } from './addresses.ts';
export { type AuthenticateBasic, createBasic, type GitAccess, scopesAllowGit } from './basic.ts';
export { createCallerCache } from './caller-cache.ts';
export { touchUsers } from './credentials.queries.ts';
export { createLfsCredentials, type LfsCredentials } from './lfs.ts';
export { type Credentials, createResolver, type JobTokenResolver, mayBeActedAs } from './resolver.ts';
export { accountRefusals } from './sudo.ts';
export { createUsageRecorder, type UsageRecorder } from './usage.ts';
