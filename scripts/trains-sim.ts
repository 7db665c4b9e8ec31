/**
 * `npm run trains:sim`: merge trains without git, pipelines or people. Requests arrive at random, their pipelines take random
 * times and fail at random; what is done is what the server's own decision function says. Prints throughput, wasted runs and
 * waiting time, beside merging one after the other.
 */
import { parseArgs } from 'node:util';
import { type SimulationOptions, simulate } from './lib/trains-sim.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '500' },
    /** Mean minutes between arrivals. */
    every: { type: 'string', default: '4' },
    /** Mean minutes of a pipeline. */
    minutes: { type: 'string', default: '20' },
    /** Share of requests whose own changes fail. */
    failing: { type: 'string', default: '0.05' },
    /** Share of runs that fail by chance. */
    flaky: { type: 'string', default: '0.01' },
    seed: { type: 'string', default: '1' },
  },
});
const options: Omit<SimulationOptions, 'limit'> = {
  requests: Number(values.requests),
  arrivalMinutes: Number(values.every),
  pipelineMinutes: Number(values.minutes),
  failing: Number(values.failing),
  flaky: Number(values.flaky),
  seed: Number(values.seed),
};
console.log(
  `${options.requests} requests, one every ${values.every} min, pipelines of ${values.minutes} min, ${options.failing * 100} % broken, ${options.flaky * 100} % of runs fail by chance\n`,
);
const columns = ['side by side', 'merged', 'dropped', 'merged/h', 'runs', 'wasted', 'median wait', '95 %', 'decision'];
console.log(columns.map((name) => name.padStart(12)).join(''));
for (const limit of [1, 2, 5, 10, 20]) {
  const result = simulate({ ...options, limit });
  const cells = [
    String(limit),
    String(result.merged),
    String(result.dropped),
    result.mergedPerHour.toFixed(1),
    String(result.runs),
    `${Math.round((100 * result.wasted) / Math.max(1, result.runs))} %`,
    `${Math.round(result.medianWait)} min`,
    `${Math.round(result.longWait)} min`,
    `${result.slowestDecision.toFixed(2)} ms`,
  ];
  console.log(cells.map((cell) => cell.padStart(12)).join(''));
}
