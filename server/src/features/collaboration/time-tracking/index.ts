/** Time that people estimate and spend. */

export { humanDuration, parseDuration, writeHours } from './durations.ts';
export { TimeStats, timeStatsJson } from './time-stats.entity.ts';
export { copyTimes, insertEntries, moveEntries, type NewEntry, timesJson } from './time-tracking.queries.ts';
export { type Timed, type TimeKept, timeTrackingRoutes } from './time-tracking.routes.ts';
export { changeEstimate, spendTime } from './time-tracking.service.ts';
export { takenTimes, timeEntryLines, timeEstimateLine } from './transfer.ts';
