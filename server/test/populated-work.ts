/** What is done in a populated instance: calls of webhooks, and a job with artifacts. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Db } from '../src/kernel/db/index.ts';
import type { TestApp } from './app.ts';
import { protocolRunner } from './ci.ts';

/** Three calls of each of the webhooks, all done. */
export async function recordCalls(app: TestApp, hooks: readonly number[], url: string): Promise<void> {
  for (const hook_id of hooks) {
    const call = { hook_id, trigger: 'push_hooks', event: 'Push Hook', payload: '{}', url, state: 'done' } as const;
    for (let number = 1; number <= 3; number += 1) {
      const [event_uuid, uuid, idempotency_key] = [randomUUID(), randomUUID(), randomUUID()];
      const told = { event_uuid, uuid, idempotency_key, request_headers: '{}', response_code: 200 };
      await app.db
        .insertInto('web_hook_calls')
        .values({ ...call, ...told })
        .execute();
    }
  }
}

/** Runs the job that waits longest; its archive has three files. Answers its id. */
export async function archive(app: TestApp, runnerToken: string): Promise<number> {
  const runner = protocolRunner(app, runnerToken);
  const job = await runner.next();
  const zip = new ZipFile();
  for (const name of ['a.txt', 'b.txt', 'c.txt']) zip.addBuffer(Buffer.from(name), name);
  zip.end();
  await runner.upload(job, { data: await buffer(zip.outputStream), name: 'a.zip', type: 'archive', format: 'zip' });
  await runner.update(job, 'success');
  return job.id;
}

/** Tests that failed in a job of the project. */
export async function failedTests(db: Db, projectId: number, numbers: readonly number[]): Promise<void> {
  const { id } = await db
    .selectFrom('jobs')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  for (const number of numbers)
    await db
      .insertInto('test_failures')
      .values({
        ...{ project_id: projectId, job_id: id, case_hash: Buffer.from([number]), suite_name: 'rspec' },
        ...{ name: `case ${number}`, on_default_branch: true },
      })
      .execute();
}
