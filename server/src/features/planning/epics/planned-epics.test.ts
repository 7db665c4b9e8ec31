/** Time, health and locked discussions of epics, by quick actions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;

let app: TestApp;
let owner: BuiltToken;
let visitor: BuiltToken;
let group: Awaited<ReturnType<typeof buildGroup>>;
beforeAll(async () => {
  app = await startTestApp();
  [owner, visitor] = [await buildToken(app), await buildToken(app)];
  group = await buildGroup(app, { visibility: 'public' });
  await buildMember(app, { user: owner.user, of: group, level: Level.owner });
});
afterAll(() => app.close());

const call = async (method: 'GET' | 'POST', path: string, json?: Json, by = owner) =>
  await app.api<Json>(method, `/groups/${group.id}/epics${path}`, { ...(json ? { json } : {}), token: by.secret });
async function make(title: string) {
  const { id, iid } = (await call('POST', '', { title })).body;
  const say = async (body: string, by = owner) => {
    const { status, body: said } = await call('POST', `/${id}/notes`, { body }, by);
    return [status, said.commands_changes];
  };
  const get = async () => (await call('GET', `/${iid}`)).body;
  const notes = async () =>
    ((await call('GET', `/${id}/notes?sort=asc`)).body as unknown as { body: string }[]).map(({ body }) => body);
  return { say, get, notes };
}

describe('epics', () => {
  it('have times, which are spent and taken back by quick actions', async () => {
    const { say, get, notes } = await make('Timed');
    expect(await say('/estimate 2h\n/spend 30m')).toEqual([
      202,
      { time_estimate: 7200, spend_time: expect.objectContaining({ duration: 1800 }) },
    ]);
    expect((await get()).time_stats).toEqual({
      ...{ time_estimate: 7200, total_time_spent: 1800 },
      ...{ human_time_estimate: '2h', human_total_time_spent: '30m' },
    });
    expect((await say('/spend -1h'))[0]).toBe(400);
    await say('/remove_estimate\n/remove_time_spent');
    expect((await get()).time_stats).toMatchObject({ time_estimate: 0, total_time_spent: 0 });
    expect(await notes()).toEqual([
      ...['added time estimate of 2h', 'added 30m of time spent'],
      ...['removed time estimate of 2h', 'removed time spent'],
    ]);
    expect(await say('/estimate 1h', visitor)).toEqual([202, {}]);
  });

  it('have a health, and discussions that are for members alone', async () => {
    const { say, get, notes } = await make('Planned');
    expect(await say('/health_status at risk\n/lock')).toEqual([
      202,
      { health_status: 'at_risk', discussion_locked: true },
    ]);
    expect(await get()).toMatchObject({ health_status: 'at_risk', discussion_locked: true });
    expect((await say('Locked out', visitor))[0]).toBe(403);
    expect((await say('Heard'))[0]).toBe(201);
    expect(await say('/clear_health_status\n/unlock\n/lock')).toEqual([
      202,
      { health_status: null, discussion_locked: false },
    ]);
    expect(await say('/clear_health_status\n/unlock')).toEqual([202, {}]);
    expect((await say('Let in', visitor))[0]).toBe(201);
    expect(await notes()).toEqual([
      ...['locked the discussion in this epic', 'changed health status to **at risk**', 'Heard'],
      ...['unlocked the discussion in this epic', 'removed health status **at risk**', 'Let in'],
    ]);
  });
});
