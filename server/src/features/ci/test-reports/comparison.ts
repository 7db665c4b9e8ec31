/** What a merge request does to tests: which begin to fail, which are fixed, which fail on both sides. */

import { caseHash, failing } from './failures.ts';
import { caseKey, type TestCase } from './junit.ts';
import type { ReadSuite } from './report.ts';

interface CaseOfJob {
  readonly jobId: number;
  readonly suite: string;
  readonly one: TestCase;
}

interface ComparedCase extends CaseOfJob {
  readonly hash: Buffer;
}

export interface ComparedSuite {
  readonly name: string;
  readonly error: string | null;
  readonly total: number;
  readonly fresh: readonly ComparedCase[];
  readonly existing: readonly ComparedCase[];
  readonly resolved: readonly ComparedCase[];
}

function casesOf(suite: ReadSuite | undefined): ReadonlyMap<string, CaseOfJob> {
  const cases = new Map<string, CaseOfJob>();
  for (const { jobId, cases: some } of suite?.parts ?? [])
    for (const one of some) {
      const key = caseKey(one);
      const known = cases.get(key);
      // One that failed anywhere has failed.
      if (!known || !failing(known.one)) cases.set(key, { jobId, suite: suite?.name ?? '', one });
    }
  return cases;
}

const hashed = (each: CaseOfJob): ComparedCase => ({ ...each, hash: caseHash(each.suite, each.one) });

/** Suites of the head. Those that only the base has say nothing about the merge request. */
export function compareTests(base: readonly ReadSuite[], head: readonly ReadSuite[]): ComparedSuite[] {
  const before = new Map(base.map((suite) => [suite.name, suite]));
  return head.map((suite) => {
    const now = casesOf(suite);
    const then = casesOf(before.get(suite.name));
    const failsNow = [...now].filter(([, { one }]) => failing(one));
    const failedThen = (key: string) => {
      const known = then.get(key);
      return known !== undefined && failing(known.one);
    };
    return {
      name: suite.name,
      error: suite.parts.find(({ error }) => error !== null)?.error ?? null,
      total: now.size,
      fresh: failsNow.filter(([key]) => !failedThen(key)).map(([, each]) => hashed(each)),
      existing: failsNow.filter(([key]) => failedThen(key)).map(([, each]) => hashed(each)),
      resolved: [...then]
        .filter(([key, { one }]) => failing(one) && now.get(key)?.one.status === 'success')
        .map(([, each]) => hashed(each)),
    };
  });
}
