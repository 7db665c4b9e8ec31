/** Who is behind the secrets of a request. */
export { type AuthenticateBasic, createBasic, type GitAccess, scopesAllowGit } from './basic.ts';
export { createCallerCache } from './caller-cache.ts';
export { touchUsers } from './credentials.queries.ts';
export { type Credentials, createResolver, type JobTokenResolver, mayBeActedAs } from './resolver.ts';
export { createUsageRecorder } from './usage.ts';
