/** The history of labels, milestone, iteration, state and weight of things. */
export {
  type ResourceEventKind,
  recordFirstLabels,
  recordIteration,
  recordLabels,
  recordMilestone,
  recordState,
  recordWeight,
  type StateCause,
} from './resource-events.queries.ts';
export { resourceEventRoutes } from './resource-events.routes.ts';
export { historyJson } from './transfer.queries.ts';
export { historyLines, takeHistory } from './transfer.ts';
