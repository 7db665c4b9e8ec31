/** Events. */
export { actionName } from './events.entity.ts';
export { type EventRow, type EventSource, listEvents } from './events.queries.ts';
export { eventRoutes } from './events.routes.ts';
export { type PushReader, recorder, retention } from './recording.ts';
