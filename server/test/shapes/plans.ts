/** What people plan, write and deploy in the populated instance, and which values name it. */
import type { Route } from '../../src/kernel/http/route.ts';

type Post = (path: string, json: Record<string, unknown>) => Promise<{ readonly id: number }>;
type Words = Readonly<Record<string, readonly unknown[]>>;

/** Values by the name of a parameter, for the part of the API that a path is in; null for other paths. */
export type PlanWords = (route: Route, name: string) => readonly unknown[] | null;

/** What ends or is deleted is what requests have made: nothing of this is named to them. */
const ends = ({ method, path }: Route) => method === 'DELETE' || /\/(move|promote|stop)$/.test(path);

export async function buildPlans(post: Post, projectId: number, groupId: number, sha: string): Promise<PlanWords> {
  const [project, group] = [`/projects/${projectId}`, `/groups/${groupId}`];
  const issues: number[] = [];
  for (const title of ['First', 'Second', 'Third', 'Fourth'])
    issues.push((await post(`${project}/issues`, { title, weight: 1 })).id);
  const said = async (place: string) => {
    const thread = (await post(`${place}/discussions`, { body: 'What is said' })) as unknown as {
      readonly id: string;
      readonly notes: ReadonlyArray<{ readonly id: number }>;
    };
    const note = thread.notes[0]?.id ?? 0;
    const award = await post(`${place}/award_emoji`, { name: 'rocket' });
    return { discussion_id: [thread.id], note_id: [note], award_id: [award.id] };
  };
  const epics: number[] = [];
  for (const title of ['Large', 'Larger']) epics.push((await post(`${group}/epics`, { title })).id);
  const snippet = async (place: string) =>
    (await post(place, { title: 'Text', files: [{ file_path: 'a.txt', content: 'text' }], visibility: 'public' })).id;
  const snippets = { own: await snippet('/snippets'), project: await snippet(`${project}/snippets`) };
  const board = async (place: string, kind = 'boards') => {
    const label = await post(`${place}/labels`, { name: `${kind}-${place.slice(1, 3)}`, color: '#336699' });
    const { id } = await post(`${place}/${kind}`, { name: 'Work' });
    const list = await post(`${place}/${kind}/${id}/lists`, { label_id: label.id });
    return { board_id: [id], list_id: [list.id], label_id: [label.id] };
  };
  const boards = {
    projects: await board(project),
    groups: await board(group),
    epics: await board(group, 'epic_boards'),
  };
  const environment = await post(`${project}/environments`, { name: 'staging' });
  const deployed = { environment: 'staging', sha, ref: 'main', tag: false, status: 'success' };
  const deployment = await post(`${project}/deployments`, deployed);
  const freeze = await post(`${project}/freeze_periods`, { freeze_start: '0 0 1 1 *', freeze_end: '0 1 1 1 *' });
  const kept = { package_name_pattern: 'kept', package_type: 'generic', minimum_access_level_for_delete: 'owner' };
  const rule = await post(`${project}/packages/protection/rules`, kept);
  const schedule = await post(`${project}/pipeline_schedules`, {
    ...{ description: 'Nightly', ref: 'main', cron: '0 1 * * *' },
  });
  const deploy_access_levels = [[{ access_level: 40 }]];
  for (const [place, name] of [
    [project, 'live'],
    [group, 'production'],
  ] as const)
    await post(`${place}/protected_environments`, { name, deploy_access_levels: deploy_access_levels[0] });
  const issueWords = { issue_iid: [1, 2, 3], ...(await said(`${project}/issues/1`)) };
  const epicWords = { epic_iid: [1, 2], epic_issue_id: [], ...(await said(`${group}/epics/1`)) };
  const snippetWords = { snippet_id: [snippets.project], ...(await said(`${project}/snippets/${snippets.project}`)) };
  const parts: ReadonlyArray<readonly [RegExp, Words]> = [
    [/^\/issues\/:id/, { id: issues }],
    [/^\/projects\/:id\/issues\/:issue_iid\/links/, { issue_iid: [1], target_issue_iid: [2, 3, 4] }],
    [/\/issues\//, { ...issueWords, move_after_id: issues, move_before_id: issues, to_project_id: [projectId] }],
    [/\/epics\//, { ...epicWords, issue_id: issues, child_epic_id: epics }],
    [/^\/snippets\/:id/, { id: [snippets.own], ref: ['main', 'HEAD'], file_path: ['a.txt'] }],
    [/\/snippets\//, { ...snippetWords, ref: ['main', 'HEAD'], file_path: ['a.txt'] }],
    [/^\/projects\/:id\/boards/, boards.projects],
    [/^\/groups\/:id\/boards/, boards.groups],
    [/^\/groups\/:id\/epic_boards/, boards.epics],
    [/^\/projects\/:id\/protected_environments/, { name: ['live', 'other'], deploy_access_levels }],
    [/^\/groups\/:id\/protected_environments/, { name: ['production', 'testing'], deploy_access_levels }],
    [/^\/vulnerabilities\//, { target_issue_iid: [1, 2, 3] }],
    [/\/environments/, { environment_id: [environment.id] }],
    [/\/deployments/, { deployment_id: [deployment.id], environment: ['staging'] }],
    [/\/freeze_periods/, { freeze_period_id: [freeze.id], freeze_start: ['0 2 * * *'], freeze_end: ['0 3 * * *'] }],
    [/\/packages\/protection/, { package_protection_rule_id: [rule.id], package_name_pattern: ['kept-*'] }],
    [/\/pipeline_schedules/, { pipeline_schedule_id: [schedule.id], ref: ['main'], cron: ['0 1 * * *', '0 2 * * 1'] }],
  ];
  return (route, name) => {
    for (const [pattern, words] of parts) {
      const found = pattern.test(route.path) ? words[name] : undefined;
      if (found === undefined) continue;
      // Its place is named, not itself: so only what requests have made is taken.
      const last = [...route.path.matchAll(/:([a-z_]+)/g)].at(-1)?.[1];
      return ends(route) && name === last ? [0] : found;
    }
    return null;
  };
}
