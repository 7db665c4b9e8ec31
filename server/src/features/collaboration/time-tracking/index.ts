/** Time that people estimate and spend. */
export { TimeStats, timeStatsJson } from './time-stats.entity.ts';
export { type Timed, timeTrackingRoutes } from './time-tracking.routes.ts';
