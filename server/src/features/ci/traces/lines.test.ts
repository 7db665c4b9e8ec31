/** Lines of long logs: positions and search, while the job runs and after its log has moved to the object store. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, startWorld, type World } from '../../../../test/ci.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const esc = String.fromCharCode(27);
const lineOf = (at: number) =>
  `line ${String(at).padStart(6, '0')} ${esc}[32mGrüße${esc}[0m ${at % 7 === 0 ? 'Lucky' : ''}`;
const count = 20_000;

it('finds lines and searches in a log, running or archived, without a trace of marker lines', async () => {
  const runner = await world.runner();
  const project = await world.project();
  await project.push('long: {script: [x]}');
  const job = await runner.next();
  const lines = Array.from({ length: count }, (_, at) => lineOf(at + 1));
  // A section that ends on a line of its own has no number.
  const text = `section_start:1:x\r${esc}[0K${lines.slice(0, 50).join('\n')}\nsection_end:2:x\r${esc}[0K\n${lines.slice(50).join('\n')}\n`;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 300_001) {
    const piece = bytes.subarray(at, at + 300_001);
    const sent = await fetch(`${world.app.url}/api/v4/jobs/${job.id}/trace`, {
      method: 'PATCH',
      headers: {
        'Content-Type': 'text/plain',
        'Content-Range': `${at}-${at + piece.length - 1}`,
        'JOB-TOKEN': job.token,
      },
      body: new Uint8Array(piece),
    });
    expect(sent.status).toBe(202);
  }
  const path = `/projects/${project.id}/jobs/${job.id}/trace`;
  const ask = async <T>(what: string, query: Record<string, string>, token = world.owner.token) =>
    await world.app.api<T>('GET', `${path}/${what}`, { token, query });
  type Position = { line: number; start_byte: number; lines: number; size: number };
  type Found = { matches: { line: number; start_byte: number }[]; more: boolean; lines: number };

  async function check() {
    const at = (await ask<Position>('position', { line: '12345' })).body;
    expect(at).toMatchObject({ line: 12_345, lines: count, size: bytes.length });
    expect(bytes.subarray(at.start_byte).toString()).toMatch(/^line 012345 /);
    const here = (await ask<Position>('position', { byte: String(at.start_byte - 3) })).body;
    expect([here.line, here.start_byte]).toEqual([12_345, at.start_byte]);
    expect((await ask<Position>('position', { line: '999999' })).body.line).toBe(count);
    const one = (await ask<Found>('search', { search: '019999 GRÜßE' })).body;
    expect(one).toMatchObject({ more: false, lines: count, matches: [{ line: 19_999 }] });
    const many = (await ask<Found>('search', { search: 'lucky' })).body;
    expect([many.more, many.matches.length, many.matches[9]?.line]).toEqual([true, 1000, 70]);
    expect((await ask<Found>('search', { search: 'section_' })).body.matches).toEqual([]);
  }
  await check();
  const done = await runner.json('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success' });
  expect(done.status).toBe(200);
  await eventually('the archive', async () => {
    const row = world.app.db.selectFrom('jobs').select('trace_object_key').where('id', '=', job.id);
    return (await row.executeTakeFirst())?.trace_object_key;
  });
  await check();

  for (const query of [{}, { line: '1', byte: '1' }, { line: '0' }] as Record<string, string>[])
    expect((await ask('position', query)).status).toBe(400);
  expect((await ask('search', { search: '' })).status).toBe(400);
  const stranger = await world.account();
  expect((await ask('search', { search: 'x' }, stranger.token)).status).toBe(404);
  expect((await ask('position', { line: '1' }, stranger.token)).status).toBe(404);
});
