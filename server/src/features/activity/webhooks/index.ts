/** Webhooks of projects, groups and the instance: what they are, and how they are called. */
export { isHeard } from './calls.queries.ts';
export { callRoutes } from './calls.routes.ts';
export { type Announcement, type HookCalls, type HookMessage, hookCalls } from './calls.service.ts';
export type { HookEvent } from './hooks.events.ts';
export { hookRoutes } from './hooks.routes.ts';
export { systemHookRoutes } from './system-hooks.routes.ts';
export { hookRelation } from './transfer.ts';
