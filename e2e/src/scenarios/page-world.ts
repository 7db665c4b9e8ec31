/** A group and a project with one of everything that has a page of its own. */
import assert from 'node:assert/strict';
import { type Api, until } from '../support/api.ts';
import { takeJob } from '../support/runner.ts';
import { type Made, project, type Visit } from './page-visits.ts';

const id = encodeURIComponent(project);
export const configuration = `include: /lint.yml
sort:
  script: [echo sorted]
  tags: [letters]
  artifacts:
    reports: {sast: gl-sast-report.json}
`;
/** What its job finds. */
const scanned = {
  version: '15.0.7',
  scan: { type: 'sast', scanner: { id: 'lint', name: 'Lint', version: '1', vendor: { name: 'Vendor' } } },
  vulnerabilities: [
    {
      ...{
        id: 'a',
        category: 'sast',
        name: 'Letters may be read',
        description: 'Anybody opens them.',
        severity: 'High',
      },
      identifiers: [{ type: 'cwe', name: 'CWE-312', value: '312' }],
      location: { file: 'src/sort.ts', start_line: 1 },
    },
  ],
};

/** Planning, delivery and runners: what stands beside the repository. */
async function surroundings(
  call: Api,
  group: number,
  owned: number,
): Promise<Omit<Made, 'sha' | 'pipeline' | 'job' | 'snippet' | 'vulnerability'>> {
  const make = async (path: string, body: object) => (await call.expect<{ id: number }>(201, 'POST', path, body)).id;
  const first = async (path: string) => (await call.expect<{ id: number }[]>(200, 'GET', path))[0]?.id ?? assert.fail();
  const groups = `/groups/${group}`;
  const projects = `/projects/${owned}`;
  await make(`${groups}/epics`, { title: 'Deliver on Sundays' });
  await make(`${groups}/milestones`, { title: 'Easter' });
  await make(`${groups}/iteration_cadences`, { title: 'Weeks', automatic: false });
  await make('/topics', { name: 'letters', title: 'Letters' });
  await call.expect(200, 'PUT', `${projects}`, { topics: ['letters'] });
  await call.expect(200, 'PUT', `${projects}/catalog`);
  await call.expect(201, 'PUT', `${projects}/packages/generic/stamps/1.0.0/stamps.txt`, 'stamps');
  return {
    iteration: await make(`${groups}/iterations`, {
      title: 'First week',
      ...{ start_date: '2031-01-06', due_date: '2031-01-12' },
    }),
    board: await make(`${projects}/boards`, { name: 'Letters' }),
    groupBoard: await make(`${groups}/boards`, { name: 'Parcels' }),
    epicBoard: await make(`${groups}/epic_boards`, { name: 'Plans' }),
    environment: await make(`${projects}/environments`, { name: 'counter' }),
    package: await first(`${projects}/packages`),
    schedule: await make(`${projects}/pipeline_schedules`, { description: 'Nightly', ref: 'main', cron: '0 1 * * *' }),
    runner: await make('/user/runners', { runner_type: 'instance_type', description: 'van' }),
    groupRunner: await make('/user/runners', { runner_type: 'group_type', group_id: group, description: 'cart' }),
    projectRunner: await make('/user/runners', { runner_type: 'project_type', project_id: owned, description: 'bag' }),
  };
}

interface Populated {
  readonly made: Made;
  /** Addresses that the API returned, each with the heading of its page. */
  readonly returned: readonly Visit[];
}

export async function populated(call: Api): Promise<Populated> {
  const make = <T = { id: number; web_url: string }>(path: string, body: object) =>
    call.expect<T>(201, 'POST', path, body);
  const group = await make('/groups', { name: 'Post office', path: 'post-office' });
  const made = await make('/projects', {
    ...{ name: 'Sorting', path: 'sorting', namespace_id: group.id, description: 'Every letter in its place' },
  });
  const commit = await make<{ id: string; web_url: string }>(`/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Sort letters' },
    actions: [
      { action: 'create', file_path: '.gitlab-ci.yml', content: configuration },
      { action: 'create', file_path: 'lint.yml', content: 'weigh:\n  script: [echo weighed]\n' },
      { action: 'create', file_path: 'src/sort.ts', content: `${'const letter = 1;\n'.repeat(30)}` },
    ],
  });
  await make(`/projects/${id}/repository/commits`, {
    ...{ branch: 'stamps', start_branch: 'main', commit_message: 'Add stamps' },
    actions: [{ action: 'create', file_path: 'stamps.txt', content: 'a\n' }],
  });
  const branch = await call.expect<{ web_url: string }>(200, 'GET', `/projects/${id}/repository/branches/stamps`);
  await make(`/projects/${id}/repository/tags`, { tag_name: 'v1', ref: 'main' });
  const request = await make(`/projects/${id}/merge_requests`, {
    ...{ source_branch: 'stamps', target_branch: 'main', title: 'Add stamps' },
  });
  const issue = await make(`/projects/${id}/issues`, { title: 'A letter is lost' });
  const milestone = await make(`/projects/${id}/milestones`, { title: 'Christmas' });
  const release = await make<{ _links: { self: string } }>(`/projects/${id}/releases`, {
    tag_name: 'v1',
    name: 'First',
  });
  const snippet = await make(`/projects/${id}/snippets`, {
    ...{ title: 'Postmark', visibility: 'private', files: [{ file_path: 'a.txt', content: 'a\n' }] },
  });
  await make(`/projects/${id}/wikis`, { title: 'home', content: 'Letters' });
  const pipeline = await until('a pipeline', 60, async () => {
    const [first] = await call.expect<{ id: number; web_url: string }[]>(
      ...([200, 'GET', `/projects/${id}/pipelines?ref=main`] as const),
    );
    return first;
  });
  const work = await takeJob(call, call.url, { projectId: made.id, tag: 'letters' });
  await work.archive('sorted/stamps.txt', 'sorted\n');
  await work.upload('sast', JSON.stringify(scanned));
  await work.end('success');
  const jobs = await call.expect<{ id: number; name: string; web_url: string }[]>(
    ...([200, 'GET', `/projects/${id}/pipelines/${pipeline.id}/jobs`] as const),
  );
  const job = jobs.find(({ name }) => name === 'sort') ?? assert.fail('no job');
  const vulnerability = await until('a vulnerability', 60, async () => {
    const [first] = await call.expect<{ id: number }[]>(200, 'GET', `/projects/${id}/vulnerabilities`);
    return first?.id;
  });
  const user = await call.expect<{ web_url: string }>(200, 'GET', '/user');
  const path = (url: string) => url.slice(call.url.length);
  return {
    made: {
      ...{ sha: commit.id, pipeline: pipeline.id, job: job.id, snippet: snippet.id, vulnerability },
      ...(await surroundings(call, group.id, made.id)),
    },
    returned: [
      [path(group.web_url), 'Post office'],
      [path(made.web_url), 'Sorting'],
      [path(user.web_url), 'Administrator'],
      [path(commit.web_url), 'Sort letters'],
      [path(branch.web_url), 'Files'],
      [path(request.web_url), 'Add stamps'],
      [path(issue.web_url), 'A letter is lost'],
      [path(milestone.web_url), 'Christmas'],
      [path(release._links.self), 'First'],
      [path(snippet.web_url), 'Postmark'],
      [path(pipeline.web_url), `Pipeline #${pipeline.id}`],
      [path(job.web_url), 'sort'],
    ],
  };
}
