/** Archives that lie about where their files belong, and files that are no archives: refused, and old ones still read. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import yazl from 'yazl';
import { type JobPayload, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';

let world: World;
let runner: ProtocolRunner;
let project: TestProject;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
});
afterAll(() => world.close());

/** A zip file with names that no honest program writes. */
async function zip(names: readonly string[]): Promise<Buffer> {
  const archive = new yazl.ZipFile();
  const stands = names.map((name, at) => 'x'.repeat(Buffer.byteLength(name) - 1) + String.fromCharCode(65 + at));
  for (const [at, stand] of stands.entries())
    archive.addBuffer(Buffer.from(`content ${at}`), stand, { compress: false });
  archive.end();
  const chunks: Buffer[] = [];
  for await (const chunk of archive.outputStream) chunks.push(Buffer.from(chunk as Buffer));
  let text = Buffer.concat(chunks).toString('latin1');
  for (const [at, stand] of stands.entries())
    text = text.replaceAll(stand, Buffer.from(names[at] ?? '', 'utf8').toString('latin1'));
  return Buffer.from(text, 'latin1');
}

async function running(): Promise<JobPayload> {
  await project.push(`build: {script: [x], artifacts: {paths: [dist]}}\n# ${performance.now()}`);
  return await runner.next();
}
const upload = async (job: JobPayload, data: Buffer, name = 'artifacts.zip') => {
  const { status, text } = await runner.upload(job, { data, name, type: 'archive', format: 'zip' });
  return { status, body: JSON.parse(text) as { message: string } };
};
const read = (job: JobPayload, file: string) =>
  world.app.api<string>('GET', `/projects/${project.id}/jobs/${job.id}/artifacts/${file}`, {
    token: world.owner.token,
  });

/** A job whose archive was taken in before anything was refused. */
async function withOldArchive(data: Buffer): Promise<JobPayload> {
  const { db, kernels, directory } = world.app;
  const job = await running();
  expect((await upload(job, await zip(['a']))).status).toBe(201);
  await runner.update(job, 'success');
  const file = path.join(directory, `old-${job.id}`);
  await writeFile(file, data);
  const { key } = await kernels.objects.putFile(file, {
    size: data.length,
    sha256: createHash('sha256').update(data).digest(),
  });
  await db
    .updateTable('job_artifacts')
    .set({ object_key: key, size: data.length })
    .where('job_id', '=', job.id)
    .execute();
  return job;
}

describe('security 6: uploads', () => {
  it.each([
    '../../etc/x',
    'a/../../b',
    '/etc/passwd',
    'C:/windows/x',
    'C:\\windows\\x',
    '..\\..\\x',
    'a\nb',
    'a\0b',
    `${'d/'.repeat(2100)}x`,
  ])('%j is refused, with a reason for the log of the job', async (name) => {
    const job = await running();
    expect(await upload(job, await zip(['good.txt', name]))).toEqual({
      status: 400,
      body: {
        message: `400 Bad request - The archive holds a file whose name is not allowed: ${JSON.stringify(
          name.replaceAll('\\', '/').slice(0, 255),
        )}`,
      },
    });
    // The job itself goes on, and may send a better one.
    expect((await upload(job, await zip(['good.txt', 'dist/..x', 'a..b', 'ü']))).status).toBe(201);
    await runner.update(job, 'success');
    expect([(await read(job, 'good.txt')).body, (await read(job, 'dist/..x')).body]).toEqual([
      'content 0',
      'content 1',
    ]);
    expect((await read(job, encodeURIComponent('ü'))).body).toBe('content 3');
  });

  it('what is no archive is refused', async () => {
    const job = await running();
    const whole = await zip(['a', 'b']);
    for (const data of [Buffer.from('no zip'), Buffer.alloc(100), whole.subarray(0, -30), whole.subarray(20)])
      expect(await upload(job, data)).toEqual({
        status: 400,
        body: { message: '400 Bad request - The file is not a zip archive, or it is damaged' },
      });
    expect((await upload(job, await zip([]))).status).toBe(201);
    await runner.update(job, 'success');
  });

  it('nothing in the name of the file itself is in the way of downloads', async () => {
    const job = await running();
    expect((await upload(job, await zip(['a']), 'a\0b.zip')).status).toBe(400);
    // Cut in the middle of a letter, as the longest name that is kept would be.
    const name = `${'x'.repeat(20)}\u{1f600}${'x'.repeat(250)}.zip`;
    expect((await upload(job, await zip(['a']), name)).status).toBe(201);
    await runner.update(job, 'success');
    const whole = await world.app.api('GET', `/projects/${project.id}/jobs/${job.id}/artifacts`, {
      token: world.owner.token,
    });
    expect(whole.status).toBe(200);
  });
});

describe('security 6: what was taken in before', () => {
  it('one hostile name hides no other file, and is not given away itself', async () => {
    const job = await withOldArchive(await zip(['first.txt', '../../etc/x', '/abs', 'a\nb', 'last.txt']));
    expect(await read(job, 'first.txt')).toMatchObject({ status: 200, body: 'content 0' });
    expect(await read(job, 'last.txt')).toMatchObject({ status: 200, body: 'content 4' });
    expect((await read(job, '..%2f..%2fetc%2fx')).status).toBe(400);
    expect((await read(job, '%2fabs')).status).toBe(400);
    expect((await read(job, 'etc/x')).status).toBe(404);
  });

  it('what cannot be read says so', async () => {
    const whole = await zip(['a.txt']);
    const directory = whole.indexOf('PK\x01\x02', 0, 'latin1');
    const changed = (at: number, value: number) => {
      const copy = Buffer.from(whole);
      copy.writeUInt16LE(value, directory + at);
      return copy;
    };
    // Encrypted, packed in a way that nobody knows, and no archive at all.
    for (const data of [changed(8, 1), changed(10, 77), Buffer.from('no zip')])
      expect(await read(await withOldArchive(data), 'a.txt')).toMatchObject({
        status: 422,
        body: { message: '422 Unprocessable - the file cannot be read out of the archive' },
      });
  });
});
