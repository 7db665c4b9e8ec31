/** Logs that are read while they are moved to the object store. */
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';
import { traceStream } from './trace-stream.ts';
import { readChunks } from './traces.queries.ts';

let world: World;
let runner: ProtocolRunner;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

const pieces = Array.from({ length: 20 }, (_, at) => `${String(at).padStart(2, '0')}${'x'.repeat(8000)}\n`);

/** A job with all pieces, still running; `end` ends it and waits until its log has moved. */
async function logged(sent: readonly string[] = pieces) {
  const project = await world.project();
  await project.push('a: {script: [x]}');
  const job = await runner.next();
  for (const piece of sent) expect((await runner.patch(job, piece)).status).toBe(202);
  const end = async () => {
    expect((await runner.update(job, 'success')).status).toBe(200);
    await eventually('the archive', async () => {
      const row = world.app.db.selectFrom('jobs').select('trace_object_key').where('id', '=', job.id);
      return (await row.executeTakeFirst())?.trace_object_key;
    });
  };
  const { db, kernels } = world.app;
  const open = () =>
    traceStream({ db, objects: kernels.objects }, { id: job.id, trace_object_key: null }, new AbortController().signal);
  return { job, end, open };
}

it('are whole when they move between the look at their job and the first byte', async () => {
  const { end, open } = await logged();
  expect(await text(await open())).toBe(pieces.join(''));
  await end();
  expect(await text(await open())).toBe(pieces.join(''));
});

it('are whole when they move after some pieces were read', async () => {
  const { end, open } = await logged();
  const stream = (await open())[Symbol.asyncIterator]();
  // Pieces are fetched by the dozen, ahead of who reads: some are left.
  const first = await stream.next();
  await end();
  let rest = '';
  for (let next = await stream.next(); !next.done; next = await stream.next()) rest += String(next.value);
  expect(String(first.value) + rest).toBe(pieces.join(''));
});

it('are whole when pieces that are objects are removed while they are read', async () => {
  const large = ['a', 'b', 'c'].map((letter) => letter.repeat(1_100_000));
  const { job, end, open } = await logged(large);
  const { db, kernels } = world.app;
  const rows = await db.selectFrom('job_trace_chunks').selectAll().where('job_id', '=', job.id).execute();
  expect(rows.map(({ data, object_bytes }) => [data, object_bytes])).toEqual(large.map(() => [null, 1_100_000]));
  const stream = (await open())[Symbol.asyncIterator]();
  const first = await stream.next();
  await end();
  for (const { object_key } of rows) await kernels.objects.remove(object_key ?? '');
  let rest = '';
  for (let next = await stream.next(); !next.done; next = await stream.next()) rest += String(next.value);
  expect(String(first.value) + rest === large.join('')).toBe(true);
});

it('are read by parts, while they grow and when they have moved; memory holds a part alone', async () => {
  const project = await world.project();
  await project.push('a: {script: [x]}');
  const job = await runner.next();
  const whole = pieces.join('');
  for (const piece of pieces) await runner.patch(job, piece);
  const url = `${world.app.url}/api/v4/projects/${project.id}/jobs/${job.id}/trace`;
  const part = async (range: string) => {
    const answer = await fetch(url, { headers: { 'PRIVATE-TOKEN': world.owner.token, Range: range } });
    return [answer.status, answer.headers.get('content-range'), answer.status === 206 ? await answer.text() : ''];
  };
  const size = whole.length;
  for (const moved of [false, true]) {
    if (moved) {
      await runner.update(job, 'success');
      await eventually('the archive', async () => {
        const row = world.app.db.selectFrom('jobs').select('trace_object_key').where('id', '=', job.id);
        return (await row.executeTakeFirst())?.trace_object_key;
      });
    }
    expect(await part('bytes=9000-9009')).toEqual([206, `bytes 9000-9009/${size}`, whole.slice(9000, 9010)]);
    expect(await part('bytes=-12000')).toEqual([206, `bytes ${size - 12000}-${size - 1}/${size}`, whole.slice(-12000)]);
    expect(await part(`bytes=${size - 3}-`)).toEqual([206, `bytes ${size - 3}-${size - 1}/${size}`, whole.slice(-3)]);
    expect(await part(`bytes=${size}-`)).toEqual([416, `bytes */${size}`, '']);
  }
});

it('are read about a mebibyte at once, however large the pieces are that runners sent', async () => {
  const project = await world.project();
  await project.push('a: {script: [x]}');
  const job = await runner.next();
  const large = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(700_000));
  for (const piece of large) expect((await runner.patch(job, piece)).status).toBe(202);
  const { db, kernels } = world.app;
  const row = 256 * 1024;
  expect((await readChunks(db, job.id, 0, 16)).map(({ start_byte: start }) => start)).toEqual([
    ...[0, row, 2 * row],
    ...[700_000, 700_000 + row],
  ]);
  const open = { id: job.id, trace_object_key: null };
  const stream = await traceStream({ db, objects: kernels.objects }, open, new AbortController().signal);
  expect(await text(stream)).toBe(large.join(''));
  await runner.update(job, 'success');
});
