/** For a job that is tried again: the tests that failed in the attempt before, so that it need not run the others. */
import type { Db } from '../../../kernel/db/index.ts';
import { failedTestFilesVariable, failedTestVariable } from '../../../kernel/names.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import { failuresBefore } from './failures.queries.ts';

/** Two files: the cases as JSON, and the names of their source files, one on each line. None for a first attempt. */
export async function failedTestVariables(
  db: Db,
  job: { readonly id: number; readonly pipeline_id: number; readonly name: string },
): Promise<JobVariable[]> {
  const cases = await failuresBefore(db, job);
  if (cases.length === 0) return [];
  const files = [...new Set(cases.flatMap(({ file }) => (file === null || file === '' ? [] : [file])))];
  const told = { file: true, raw: true, public: true };
  return [
    variable(failedTestVariable, `${JSON.stringify(cases)}\n`, told),
    variable(failedTestFilesVariable, files.map((file) => `${file}\n`).join(''), told),
  ];
}
