/** What other servers are told: the parts that messages share, and the one of merge requests. */
export * from './merge-request.ts';
export * from './parts.ts';
