/** Keeps which test cases failed, and whether they are flaky: failed and passed for the same commit. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../kernel/db/index.ts';
import { failuresOfCommit, insertFailures, markFlaky, otherReports, type ReportedJob } from './failures.queries.ts';
import { caseKey, type TestCase } from './junit.ts';
import { unpackedCases } from './stored-cases.ts';

/** Failed cases that are kept of one job: where more fail, something else than a test is broken. */
const maxKept = 1_000;

export const failing = ({ status }: Pick<TestCase, 'status'>): boolean => status === 'failed' || status === 'error';

/** Tells a test case apart in a project, whatever its job is called in a matrix. */
export const caseHash = (suite: string, one: TestCase): Buffer =>
  createHash('sha256')
    .update(`${suite}\n${caseKey(one)}`)
    .digest();

const hex = (hash: Buffer): string => hash.toString('hex');

/** After a report was stored, in the same transaction. */
export async function keepFailures(tx: Db, job: ReportedJob, cases: readonly TestCase[]): Promise<void> {
  const failures = cases.filter(failing).slice(0, maxKept);
  const hashOf = (one: TestCase) => caseHash(job.suite, one);
  const passed = (of: readonly TestCase[]) =>
    new Set(of.filter(({ status }) => status === 'success').map((one) => hex(hashOf(one))));
  const elsewhere = new Set<string>();
  if (failures.length > 0)
    for (const stored of await otherReports(tx, job))
      for (const hash of passed(await unpackedCases(stored))) elsewhere.add(hash);
  await insertFailures(
    tx,
    job,
    failures.map((one) => {
      const hash = hashOf(one);
      return { ...one, name: one.name ?? '(No name)', hash, flaky: elsewhere.has(hex(hash)) };
    }),
  );
  const before = await failuresOfCommit(tx, job);
  if (before.length === 0) return;
  const now = passed(cases);
  await markFlaky(
    tx,
    before.filter(({ case_hash }) => now.has(hex(case_hash))).map(({ id }) => id),
  );
}
