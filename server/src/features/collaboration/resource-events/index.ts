/** The history of labels, milestone, state and weight of things. */
export {
  insertStates,
  type ResourceEventKind,
  recordLabels,
  recordMilestone,
  recordState,
  recordWeight,
} from './resource-events.queries.ts';
export { resourceEventRoutes } from './resource-events.routes.ts';
