/** The coverage of a branch by day, as data and as a file. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Account, eventually, startWorld, type TestProject, type World } from '../../../../test/ci.ts';

let world: World;
let project: TestProject;
let stranger: Account;
const config = `unit:
  parallel: 2
  script: [x]
  coverage: '/covered (\\d+)%/'
"=lint": {script: [x], coverage: '/covered (\\d+)%/'}
`;
const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  world = await startWorld();
  stranger = await world.account();
  project = await world.project();
  const runner = await world.runner();
  // The last pipeline of a day counts, and of it all jobs of a group.
  for (const [at, percents] of [
    [2, { 'unit 1/2': 10, 'unit 2/2': 20, '=lint': 5 }],
    [2, { 'unit 1/2': 60, 'unit 2/2': 71, '=lint': 7 }],
    [0, { 'unit 1/2': 80, 'unit 2/2': 90 }],
  ] as const) {
    const pipeline = await project.push(`${config}# ${JSON.stringify(percents)}\n`);
    for (let job = 0; job < 3; job++) {
      const taken = await runner.next();
      const percent = (percents as Record<string, number>)[taken.job_info.name];
      await runner.patch(taken, percent === undefined ? 'nothing\n' : `covered ${percent}%\n`);
      await runner.update(taken, 'success');
    }
    await project.reaches(pipeline.id, 'success');
    // Logs are looked through when their jobs have ended.
    const measured = () =>
      world.app.db
        .selectFrom('jobs')
        .select('id')
        .where('pipeline_id', '=', pipeline.id)
        .where('coverage', 'is not', null)
        .execute();
    await eventually('the coverage', async () => (await measured()).length === Object.keys(percents).length);
    const at_ = new Date(Date.now() - at * 86_400_000);
    await world.app.db.updateTable('jobs').set({ finished_at: at_ }).where('pipeline_id', '=', pipeline.id).execute();
  }
});
afterAll(() => world.close());

const get = async (query: string, token = world.owner.token) =>
  await world.app.api<Record<string, unknown>>('GET', `/projects/${project.id}/pipelines/coverage${query}`, { token });

it('is that of the last pipeline of a day, for each group of jobs', async () => {
  expect((await get('')).body).toEqual({
    ref: 'main',
    from: day(89),
    to: day(0),
    groups: [
      { name: '=lint', days: [{ date: day(2), coverage: 7 }] },
      {
        name: 'unit',
        days: [
          { date: day(2), coverage: 65.5 },
          { date: day(0), coverage: 85 },
        ],
      },
    ],
  });
  expect((await get('?days=1')).body.groups).toEqual([{ name: 'unit', days: [{ date: day(0), coverage: 85 }] }]);
  expect((await get('?ref=other')).body).toMatchObject({ ref: 'other', groups: [] });
  expect((await get('', stranger.token)).status).toBe(404);
});

it('is a file for spreadsheets, which runs nothing', async () => {
  const { status, body, headers } = await get('/csv');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toBe(`attachment; filename="coverage_${day(89)}_${day(0)}.csv"`);
  expect(String(body)).toBe(
    `date,group_name,coverage\n${day(2)},'=lint,7.00\n${day(2)},unit,65.50\n${day(0)},unit,85.00\n`,
  );
  expect((await get('/csv', stranger.token)).status).toBe(404);
});
