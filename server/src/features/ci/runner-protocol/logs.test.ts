/** Logs as official runners send them: piece by piece, again after damage, and not past their limit. */

import { crc32 } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type JobPayload, type ProtocolRunner, startWorld, type World } from '../../../../test/ci.ts';

let world: World;
let runner: ProtocolRunner & { id: number };
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
});
afterAll(() => world.close());

describe('logs', () => {
  const started = async () => {
    const project = await world.project();
    const pipeline = await project.push('a: {script: [x]}');
    return { project, pipeline, job: await runner.next() };
  };
  const read = (project: { id: number }, id: number) =>
    world.app.api<string>('GET', `/projects/${project.id}/jobs/${id}/trace`, { token: world.owner.token });

  it('grow piece by piece; a piece out of place is told where to go on', async () => {
    const { project, job } = await started();
    const first = await runner.patch(job, 'one\n');
    expect([first.status, first.headers.get('range'), first.headers.get('job-status')]).toEqual([
      202,
      '0-4',
      'running',
    ]);
    expect(Number(first.headers.get('x-gitlab-trace-update-interval'))).toBeGreaterThan(0);
    for (const start of [0, 9]) {
      const wrong = await runner.patch(job, 'two\n', start);
      expect([wrong.status, wrong.headers.get('range')]).toEqual([416, '0-4']);
    }
    await runner.patch(job, 'two\n', 4);
    const log = await read(project, job.id);
    expect([log.status, log.body]).toEqual([200, 'one\ntwo\n']);
    expect(log.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    await runner.update(job, 'success', { output: { checksum: '', bytesize: 8 } });
    const stored = () =>
      world.app.db.selectFrom('jobs').select('trace_object_key').where('id', '=', job.id).executeTakeFirst();
    await eventually('the archive', async () => (await stored())?.trace_object_key);
    expect((await read(project, job.id)).body).toBe('one\ntwo\n');
    const rows = await world.app.db
      .selectFrom('job_trace_chunks')
      .select('start_byte')
      .where('job_id', '=', job.id)
      .execute();
    expect(rows).toEqual([]);
  });

  it('[security 21] hide the token of the job at every cut, whatever runner sends it, and keep their checksum', async () => {
    const { project, job } = await started();
    const encoded = Buffer.from(`ci:${job.token}`).toString('base64');
    let sent = '';
    const send = async (piece: string) => {
      expect((await runner.patch(job, piece, sent.length)).status).toBe(202);
      sent += piece;
    };
    for (let cut = 1; cut < job.token.length; cut++) {
      const line = `t ${job.token}\n`;
      await send(line.slice(0, cut + 2));
      await send(line.slice(cut + 2));
    }
    for (let cut = 5; cut < encoded.length; cut += 4) {
      await send(`b ${encoded.slice(0, cut)}`);
      await send(`${encoded.slice(cut)}\n`);
    }
    for (const character of `c ${job.token}\n`) await send(character);
    const { body } = await read(project, job.id);
    expect(body).toHaveLength(sent.length);
    expect(body).not.toContain(job.token.slice(-12));
    expect(body).not.toContain(job.token.slice(0, 12));
    expect(body).not.toContain(encoded.slice(8, 24));
    expect(body.split('\n').length).toBe(sent.split('\n').length);
    const checksum = `crc32:${crc32(sent).toString(16).padStart(8, '0')}`;
    const ended = await runner.update(job, 'success', { output: { checksum, bytesize: sent.length } });
    expect(ended.status).toBe(200);
  });

  it('are stored in rows of moderate size, however large the pieces are, and hide a token over their borders', async () => {
    const { project, job } = await started();
    const row = 256 * 1024;
    const line = 'an ordinary line of a log\n';
    // A token in the middle of a row, one over the border of two, and one over the border of two pieces.
    const filled = (bytes: number) => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
    const first = `${filled(row - 8)}${job.token}${filled(2 * row)}${job.token.slice(0, 9)}`;
    const second = `${job.token.slice(9)}${filled(row)}end`;
    await runner.patch(job, first);
    await runner.patch(job, second, first.length);
    const rows = await world.app.db
      .selectFrom('job_trace_chunks')
      .select(['start_byte', sql<number>`length(data)`.as('bytes')])
      .where('job_id', '=', job.id)
      .orderBy('start_byte')
      .execute();
    expect(rows.map(({ bytes }) => bytes)).toEqual([row, row, row, first.length - 3 * row, row, second.length - row]);
    expect(rows.map(({ start_byte }) => start_byte)).toEqual(
      rows.map((_row, at) => rows.slice(0, at).reduce((sum, { bytes }) => sum + bytes, 0)),
    );
    const hidden = `${first}${second}`.replaceAll(job.token, 'x'.repeat(job.token.length));
    expect((await read(project, job.id)).body === hidden).toBe(true);
  });

  it('[security 21] of large pieces are objects, hide a token over their borders, and leave none of them', async () => {
    const { project, job } = await started();
    const large = 'an ordinary line of a log\n'.repeat(45_000);
    const first = `${large}${job.token.slice(0, 9)}`;
    const second = `${job.token.slice(9)}${large}${job.token}end\n`;
    const rows = async () =>
      await world.app.db
        .selectFrom('job_trace_chunks')
        .select(['start_byte', 'object_key', 'object_bytes'])
        .where('job_id', '=', job.id)
        .orderBy('start_byte')
        .execute();
    expect((await runner.patch(job, first)).status).toBe(202);
    const [before] = await rows();
    expect((await runner.patch(job, second, first.length)).status).toBe(202);
    // Sent twice: not stored again.
    expect((await runner.patch(job, second, first.length)).status).toBe(416);
    await runner.patch(job, 'short', first.length + second.length);
    const stored = await rows();
    expect(stored.map(({ start_byte, object_bytes }) => [start_byte, object_bytes])).toEqual([
      ...[
        [0, first.length],
        [first.length, second.length],
      ],
      [first.length + second.length, null],
    ]);
    const whole = `${first}${second}short`;
    const hidden = whole.replaceAll(job.token, 'x'.repeat(job.token.length));
    expect((await read(project, job.id)).body === hidden).toBe(true);
    const output = { checksum: `crc32:${crc32(whole).toString(16)}`, bytesize: whole.length };
    expect((await runner.update(job, 'success', { output })).status).toBe(200);
    await eventually('the archive', async () => (await rows()).length === 0);
    expect((await read(project, job.id)).body === hidden).toBe(true);
    const keys = [before, ...stored].flatMap((row) => row?.object_key ?? []);
    expect(new Set(keys).size).toBe(3);
    const doomed = await world.app.db.selectFrom('object_deletions').select('object_key').execute();
    for (const key of keys)
      expect(doomed.some((row) => row.object_key === key) || !(await world.app.kernels.objects.exists(key))).toBe(true);
  });

  it('that arrived damaged are asked for again from the start', async () => {
    const { project, job } = await started();
    await runner.patch(job, 'damaged');
    const bad = await runner.update(job, 'success', { output: { checksum: 'crc32:00000001', bytesize: 7 } });
    expect(bad.status).toBe(412);
    await runner.patch(job, 'whole log', 0);
    expect((await runner.update(job, 'success')).status).toBe(200);
    expect((await read(project, job.id)).body).toBe('whole log');
    // The answer may be lost: the same end again is the same answer.
    expect((await runner.update(job, 'success')).status).toBe(200);
    expect((await runner.update(job, 'failed')).status).toBe(403);
  });

  it('[security 21] come with the end of the job where runners send it so: whole, or the rest of what came before', async () => {
    const ends = async (start: number, before: string, text: string, job: JobPayload, state = 'success') =>
      await runner.update(job, state, {
        last_piece: { start, data: Buffer.from(text).toString('base64') },
        output: { checksum: `crc32:${crc32(before + text).toString(16)}`, bytesize: Buffer.byteLength(before + text) },
      });
    const archived = async (id: number) =>
      await world.app.db
        .selectFrom('jobs')
        .select(['trace_object_key', 'trace_cut_at', 'trace_size'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
    const whole = await started();
    expect(whole.job.features).toMatchObject({ last_piece: true });
    const { token } = whole.job;
    const text = `ünl ${token}\nJob's log exceeded limit of 7 bytes.\n`;
    expect((await ends(0, '', text.slice(0, -1), { ...whole.job, token: 'glcbt-x' })).status).toBe(403);
    expect((await ends(4, '', text, whole.job)).status).toBe(412);
    expect((await ends(0, 'x', text, whole.job)).status).toBe(412);
    expect((await ends(0, '', text, whole.job)).status).toBe(200);
    // At once: nothing is left to be moved. The end whose answer was lost is the same end.
    const stored = await archived(whole.job.id);
    expect(stored).toMatchObject({ trace_size: Buffer.byteLength(text), trace_cut_at: 7 });
    expect(stored.trace_object_key).not.toBe(null);
    expect((await ends(0, '', text, whole.job)).status).toBe(200);
    expect((await read(whole.project, whole.job.id)).body).toBe(text.replace(token, 'x'.repeat(token.length)));
    // The rest, with a token over the border, and without.
    for (const border of [9, token.length]) {
      const { project, job } = await started();
      const line = `a ${job.token}\n`;
      await runner.patch(job, line.slice(0, border));
      expect((await ends(border, line.slice(0, border), line.slice(border), job, 'failed')).status).toBe(200);
      expect((await read(project, job.id)).body).toBe(`a ${'x'.repeat(job.token.length)}\n`);
      await eventually('the archive', async () => (await archived(job.id)).trace_object_key);
    }
    const tooLong = await started();
    expect((await ends(0, '', 'x'.repeat(70_000), tooLong.job)).status).toBe(400);
    await runner.update(tooLong.job, 'success');
  });

  it('stop the job past their limit, which they name', async () => {
    const { project, pipeline, job } = await started();
    await world.app.settings.write({ ci_jobs_trace_size_limit: 3 });
    const limit = 3 * 1024 * 1024;
    await runner.patch(job, 'x');
    await world.app.db
      .updateTable('jobs')
      .set({ trace_size: limit - 10 })
      .where('id', '=', job.id)
      .execute();
    const over = await runner.patch(job, 'x'.repeat(20), limit - 10);
    expect([over.status, over.headers.get('job-status')]).toEqual([403, 'failed']);
    expect(await project.job(pipeline.id, 'a')).toMatchObject({ failure_reason: 'trace_size_exceeded' });
    const log = await world.app.db
      .selectFrom('job_trace_chunks')
      .select('data')
      .where('job_id', '=', job.id)
      .orderBy('start_byte', 'desc')
      .limit(1)
      .executeTakeFirst();
    expect(log?.data?.toString()).toContain('ci_jobs_trace_size_limit, 3 MB');
    await world.app.settings.write({ ci_jobs_trace_size_limit: 100 });
    const next = await started();
    await runner.patch(next.job, 'x');
    await world.app.db.updateTable('jobs').set({ trace_size: limit }).where('id', '=', next.job.id).execute();
    expect((await runner.patch(next.job, 'more', limit)).status).toBe(202);
  });

  it('[security 17] need the token of the job itself', async () => {
    const { job } = await started();
    const second = await started();
    const stranger = { ...job, token: second.job.token };
    expect((await runner.patch(stranger, 'x')).status).toBe(403);
    expect((await runner.update(stranger, 'success')).status).toBe(403);
    // Whether there is such a job is told to nobody else.
    const nowhere = { ...job, id: 999_999 };
    const parts = { data: Buffer.from('x'), name: 'x', type: 'archive', format: 'zip' };
    for (const ask of [
      (each: JobPayload) => runner.update(each, 'success'),
      (each: JobPayload) => runner.patch(each, 'x', 0),
      (each: JobPayload) => runner.upload(each, parts),
    ]) {
      const [one, other] = [await ask(stranger), await ask(nowhere)];
      expect([other.status, other.text]).toEqual([one.status, one.text]);
      expect([one.status, one.text]).toEqual([403, '{"message":"403 Forbidden"}']);
    }
    expect((await runner.json('PUT', `/jobs/${job.id}`, { state: 'success' })).status).toBe(403);
    for (const each of [job, second.job]) await runner.update(each, 'success');
  });

  it('[2/fields.job/8] hold the coverage', async () => {
    const project = await world.project();
    const pipeline = await project.push("a: {script: [x], coverage: '/Lines: (\\d+\\.\\d+)%/'}");
    const job = await runner.next();
    await runner.patch(job, 'Lines: 12.5%\nLines: 87.25%\n');
    await runner.update(job, 'success');
    await eventually('the coverage', async () => (await project.job(pipeline.id, 'a')).coverage === 87.25);
    expect((await project.pipeline(pipeline.id)).coverage).toBe('87.25');
    await project.push("a: {script: [x], coverage: '/Lines: (\\d+\\.\\d+)%/'}");
    const again = await runner.next();
    const data = Buffer.from('Lines: 50%\nLines: 40.5%\n').toString('base64');
    await runner.update(again, 'success', { last_piece: { start: 0, data }, output: { bytesize: 24 } });
    const of = `/projects/${project.id}/jobs/${again.id}`;
    await eventually('the coverage', async () => {
      const { body } = await world.app.api<{ coverage: number | null }>('GET', of, { token: world.owner.token });
      return body.coverage === 40.5;
    });
  });
});
