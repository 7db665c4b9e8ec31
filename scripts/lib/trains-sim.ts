/** The simulator of merge trains: a clock, random arrivals and pipelines, and the server's decision function. */
import {
  type Action,
  decide,
  type Entry,
  type Verdict,
} from '../../server/src/features/review/merge-trains/decision.ts';

export interface SimulationOptions {
  readonly requests: number;
  /** Mean time between arrivals. */
  readonly arrivalMinutes: number;
  readonly pipelineMinutes: number;
  /** Share of requests that break whatever they are tested in. */
  readonly failing: number;
  /** Share of runs that fail for no reason. */
  readonly flaky: number;
  /** Pipelines side by side. */
  readonly limit: number;
  readonly seed: number;
}

export interface SimulationResult {
  readonly merged: number;
  readonly dropped: number;
  readonly mergedPerHour: number;
  readonly runs: number;
  /** Runs that no merge came of. */
  readonly wasted: number;
  /** Minutes from joining to the merge. */
  readonly medianWait: number;
  /** What 95 % do not exceed. */
  readonly longWait: number;
  /** Milliseconds. */
  readonly slowestDecision: number;
  /** Ids in the order of their merges. */
  readonly order: readonly number[];
}

/** Mulberry32. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Car {
  readonly id: number;
  readonly joined: number;
  readonly broken: boolean;
  build: { base: string; commit: string } | null;
  verdict: Verdict;
  ends: number;
  fails: boolean;
  status: Entry['status'];
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

export function simulate(options: SimulationOptions): SimulationResult {
  const next = random(options.seed);
  const spread = (mean: number) => -mean * Math.log(1 - next());
  // Drawn before anything is decided: every limit meets the same requests.
  let time = 0;
  const arrivals: Car[] = Array.from({ length: options.requests }, (_, id) => {
    time += spread(options.arrivalMinutes);
    return {
      id,
      joined: time,
      broken: next() < options.failing,
      build: null,
      verdict: 'missing',
      ends: 0,
      fails: false,
      status: 'idle',
    };
  });
  /** What the broken ones spoil: a commit is broken when one of the entries in it is. */
  const spoiled = new Map<string, boolean>([['start', false]]);
  let target = 'start';
  let cars: Car[] = [];
  let [clock, runs, dropped, builds, slowest] = [0, 0, 0, 0, 0];
  const order: number[] = [];
  const waits: number[] = [];

  const carryOut = (action: Action): void => {
    if (action.do === 'build') {
      let base = action.base;
      for (const id of action.entries) {
        const car = cars.find((one) => one.id === id);
        if (!car) continue;
        const commit = `c${++builds}`;
        spoiled.set(commit, car.broken || (spoiled.get(base) ?? false));
        car.build = { base, commit };
        car.verdict = 'running';
        car.fails = (spoiled.get(commit) ?? false) || next() < options.flaky;
        // Pipelines take half to one and a half of the mean.
        car.ends = clock + options.pipelineMinutes * (0.5 + next());
        car.status = 'fresh';
        runs += 1;
        base = commit;
      }
      return;
    }
    const car = cars.find((one) => one.id === action.entry);
    if (!car) return;
    if (action.do === 'mark') {
      car.status = action.status;
      return;
    }
    cars = cars.filter((one) => one !== car);
    if (action.do === 'merge') {
      target = car.build?.commit ?? target;
      order.push(car.id);
      waits.push(clock - car.joined);
    } else dropped += 1;
  };

  const work = (): void => {
    for (;;) {
      const entries: Entry[] = cars.map(({ id, status, build, verdict }) => ({
        ...{ id, status, build, verdict },
        landed: false,
        refused: false,
      }));
      const started = performance.now();
      const actions = decide({ target, entries, limit: options.limit });
      slowest = Math.max(slowest, performance.now() - started);
      if (actions.length === 0) return;
      for (const action of actions) carryOut(action);
    }
  };

  while (arrivals.length > 0 || cars.length > 0) {
    const running = cars.filter(({ verdict }) => verdict === 'running');
    const [arrival] = arrivals;
    const first = running.reduce<Car | null>(
      (soonest, car) => (soonest && soonest.ends <= car.ends ? soonest : car),
      null,
    );
    if (arrival && (!first || arrival.joined <= first.ends)) {
      arrivals.shift();
      clock = arrival.joined;
      cars.push(arrival);
    } else if (first) {
      clock = first.ends;
      first.verdict = first.fails ? 'failed' : 'passed';
    } else throw new Error('the train stands still');
    work();
  }
  waits.sort((a, b) => a - b);
  return {
    merged: order.length,
    dropped,
    mergedPerHour: (60 * order.length) / Math.max(1, clock),
    runs,
    wasted: runs - order.length,
    medianWait: quantile(waits, 0.5),
    longWait: quantile(waits, 0.95),
    slowestDecision: slowest,
    order,
  };
}
