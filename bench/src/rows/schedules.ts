/** Pipeline schedules that are all due in one minute: each has its pipeline before the minute is over. */
import type { Context } from '../context.ts';
import { createProject, type Project, type Target } from '../target.ts';
import { pause } from '../waiting.ts';

const projects = 10;
/** Requests that make schedules at the same time. */
const lanes = 8;
const minute = 60_000;

async function made(target: Target, at: number): Promise<Project> {
  const project = await createProject(target, `bench-schedules-${at}`);
  await target.call('POST', `${project.api}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Configure [skip ci]' },
    actions: [
      {
        action: 'create',
        file_path: '.gitlab-ci.yml',
        content: 'job: {script: [x], tags: [bench-nobody], rules: [{if: $CI_PIPELINE_SOURCE == "schedule"}]}\n',
      },
    ],
  });
  return project;
}

/** Schedules of one minute, over some projects; switched on shortly before it. */
async function dueAtOnce(context: Context, count: number): Promise<void> {
  const { target } = context.ours;
  const all = await Promise.all(Array.from({ length: projects }, (_item, at) => made(target, at)));
  const each = Math.ceil(count / projects);
  // Far enough from now that all are there before it begins.
  const begin = Math.ceil((Date.now() + count * 15 + minute) / minute) * minute;
  const at = new Date(begin);
  const cron = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
  const waiting = all.flatMap((project) => Array.from({ length: each }, (_item, number) => ({ project, number })));
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop())
        await target.call('POST', `${next.project.api}/pipeline_schedules`, {
          ...{ description: `Nightly ${next.number}`, ref: 'refs/heads/main', cron, cron_timezone: 'UTC' },
        });
    }),
  );
  if (Date.now() > begin) throw new Error('the schedules were not there in time');
  let last = 0;
  for (const project of all) {
    for (;;) {
      const query = `source=schedule&per_page=1&page=${each}&order_by=id&sort=asc`;
      const [found] = await target.call<{ created_at: string }[]>('GET', `${project.api}/pipelines?${query}`);
      if (found) {
        last = Math.max(last, Date.parse(found.created_at));
        break;
      }
      if (Date.now() > begin + 10 * minute) throw new Error('a schedule did not run within ten minutes');
      await pause(500);
    }
  }
  const seconds = (last - begin) / 1000;
  context.add({
    name: `${(each * projects).toLocaleString('en')} schedules due in one minute: the last pipeline after`,
    ours: { p50: seconds * 1000 },
    goal: { text: '< 60 s', met: seconds < 60 },
    note: `${Math.round((each * projects) / seconds)} pipelines a second, in ${projects} projects`,
  });
}

export async function schedules(context: Context): Promise<void> {
  await dueAtOnce(context, 10_000);
}
