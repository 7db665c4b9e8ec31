/** What texts say after their issue went to another project or group: references and files lead to where they led. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
interface Made extends Json {
  readonly id: number;
  readonly iid: number;
  readonly description: string;
}

let app: TestApp;
let owner: BuiltToken;
let group: Awaited<ReturnType<typeof buildGroup>>;
let project: RepositoryProject;
/** How the group writes its project. */
let code: string;
/** In the same group, and in another one. */
let near: Awaited<ReturnType<typeof buildProject>>;
let far: Awaited<ReturnType<typeof buildProject>>;
const made: Record<string, Made> = {};

const call = async <T = Made>(method: 'GET' | 'POST', path: string, json?: Json) => {
  const answer = await app.api<T>(method, path, { token: owner.secret, ...(json ? { json } : {}) });
  expect([path, Math.floor(answer.status / 100)]).toEqual([path, 2]);
  return answer.body;
};

beforeAll(async () => {
  app = await startTestApp();
  owner = await buildToken(app);
  group = await buildGroup(app, { visibility: 'private', owner: owner.user });
  const elsewhere = await buildGroup(app, { visibility: 'private', owner: owner.user });
  project = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id } });
  code = project.fullPath.split('/').at(-1) ?? '';
  near = await buildProject(app, { visibility: 'private', namespace: group });
  far = await buildProject(app, { visibility: 'private', namespace: elsewhere });
  for (const of of [near, far]) await buildMember(app, { user: owner.user, of, level: Level.owner });
  const at = `/projects/${project.id}`;
  made.issue = await call('POST', `${at}/issues`, { title: 'Named' });
  made.there = await call('POST', `/projects/${near.id}/issues`, { title: 'Near' });
  made.label = await call('POST', `${at}/labels`, { name: 'bug', color: '#112233' });
  made.shared = await call('POST', `/groups/${group.id}/labels`, { name: 'in all', color: '#112233' });
  made.milestone = await call('POST', `${at}/milestones`, { title: 'Two words' });
  made.release = await call('POST', `/groups/${group.id}/milestones`, { title: '1.0' });
  made.epic = await call('POST', `/groups/${group.id}/epics`, { title: 'An epic' });
  const files = [{ file_path: 'a.txt', content: 'a' }];
  made.snippet = await call('POST', `${at}/snippets`, { title: 'A snippet', visibility: 'private', files });
});
afterAll(() => app.close());

const write = (description: string) =>
  call('POST', `/projects/${project.id}/issues`, { title: 'Goes elsewhere', description });
const send = ({ iid }: Made, to: { readonly id: number }, verb: 'move' | 'clone' = 'move', more: Json = {}) =>
  call('POST', `/projects/${project.id}/issues/${iid}/${verb}`, { to_project_id: to.id, ...more });
const textsOf = (path: string) => call<{ body: string }[]>('GET', `${path}/notes?sort=asc&order_by=created_at`);
const upload = async (bytes: string) => {
  const form = new FormData();
  form.append('file', new Blob([bytes]), 'a.txt');
  const answer = await app.api<{ url: string; markdown: string }>('POST', `/projects/${project.id}/uploads`, {
    ...{ token: owner.secret, form },
  });
  return answer.body;
};

describe('texts of issues that are moved', () => {
  it('name what they named, from a project of the same group', async () => {
    const sha = (await call<{ id: string }[]>('GET', `/projects/${project.id}/repository/commits`))[0]?.id ?? '';
    const { issue, label, shared, milestone, release, snippet } = made;
    const words: [string, string][] = [
      [`#${issue?.iid}`, `${code}#${issue?.iid}`],
      ['#4711', '#4711'],
      ['~bug', `${code}~${label?.id}`],
      ['~"in all"', `${code}~${shared?.id}`],
      [`%"${milestone?.title}"`, `/${project.fullPath}%"Two words"`],
      [`%${release?.title}`, `/${group.full_path}%"1.0"`],
      [`&${made.epic?.iid}`, `&${made.epic?.iid}`],
      [`$${snippet?.id}`, `${code}$${snippet?.id}`],
      [sha.slice(0, 10), `${code}@${sha}`],
      [`${near.path}#${made.there?.iid}`, `${near.path}#${made.there?.iid}`],
      [`${group.full_path}/${code}#${issue?.iid}`, `${code}#${issue?.iid}`],
      [`@${owner.user.username}`, `@${owner.user.username}`],
      [`\`#${issue?.iid}\``, `\`#${issue?.iid}\``],
      [`[#${issue?.iid}](https://example.com/#1)`, `[#${issue?.iid}](https://example.com/#1)`],
      [`\n\n\`\`\`\n#${issue?.iid}\n\`\`\``, `\n\n\`\`\`\n#${issue?.iid}\n\`\`\``],
    ];
    const from = await write(words.map(([before]) => before).join(' '));
    await call('POST', `/projects/${project.id}/issues/${from.iid}/notes`, { body: `See #${issue?.iid}, \`#1\`.` });
    const moved = await send(from, near);
    expect(moved.description).toBe(words.map(([, after]) => after).join(' '));
    const notes = await textsOf(`/projects/${near.id}/issues/${moved.iid}`);
    expect(notes.map(({ body }) => body)).toContain(`See ${code}#${issue?.iid}, \`#1\`.`);
    // They lead there: each of them is a link from the other project, also the paths with a slash in front.
    const { html } = await call<{ html: string }>('POST', '/markdown', {
      ...{ text: moved.description, gfm: true, project: `${group.full_path}/${near.path}` },
    });
    for (const path of [
      `/${project.fullPath}/-/issues/${issue?.iid}"`,
      `/${project.fullPath}/-/milestones/${milestone?.iid}"`,
      `/groups/${group.full_path}/-/milestones/${release?.iid}"`,
      `/${project.fullPath}/-/issues?label_name[]=bug"`,
      `/${project.fullPath}/-/commit/${sha}"`,
    ])
      expect(html).toContain(path);
    // The old one is as it was.
    expect((await call('GET', `/projects/${project.id}/issues/${from.iid}`)).description).toBe(from.description);
  });

  it('name it by its whole path from another group', async () => {
    const { issue, there, label, epic } = made;
    const moved = await send(await write(`#${issue?.iid} ${near.path}#${there?.iid} ~bug &${epic?.iid}`), far, 'clone');
    expect(moved.description).toBe(
      `${project.fullPath}#${issue?.iid} ${group.full_path}/${near.path}#${there?.iid} ${project.fullPath}~${label?.id} ${group.full_path}&${epic?.iid}`,
    );
  });

  it('stay as they are within one project', async () => {
    const from = await write(`#${made.issue?.iid} ~bug ${(await upload('kept')).markdown}`);
    expect((await send(from, project, 'clone')).description).toBe(from.description);
  });

  it('show copies of their files', async () => {
    const [one, two] = [await upload('one'), await upload('two')];
    const gone = `/uploads/${'0'.repeat(32)}/a.txt`;
    const from = await write(`${one.markdown} ![again](${one.url}) [gone](${gone}) ${one.url}`);
    await call('POST', `/projects/${project.id}/issues/${from.iid}/notes`, { body: `<img src="${two.url}">` });
    const moved = await send(from, far);
    const copy = /\/uploads\/[0-9a-f]{32}\/a\.txt/.exec(moved.description)?.[0] ?? '';
    expect(copy).not.toBe(one.url);
    expect(moved.description).toBe(`[a.txt](${copy}) ![again](${copy}) [gone](${gone}) ${one.url}`);
    const [note] = await textsOf(`/projects/${far.id}/issues/${moved.iid}`);
    const second = /\/uploads\/[0-9a-f]{32}\/a\.txt/.exec(note?.body ?? '')?.[0] ?? '';
    const read = async (url: string) =>
      (await app.api<string>('GET', `/projects/${far.id}${url}`, { token: owner.secret })).body;
    expect(await Promise.all([copy, second].map(read))).toEqual(['one', 'two']);
    expect((await call<Json[]>('GET', `/projects/${far.id}/uploads`)).map(({ filename }) => filename)).toEqual([
      'a.txt',
      'a.txt',
    ]);
  });

  it('go with an issue that becomes an epic', async () => {
    const file = await upload('epic');
    const from = await write(`#${made.issue?.iid} &${made.epic?.iid} ~bug ${file.markdown}`);
    const path = `/projects/${project.id}/issues/${from.iid}/notes`;
    await call('POST', path, { body: `As #${made.issue?.iid} says` });
    await call('POST', path, { body: '/promote' });
    const [epic] = await call<Made[]>('GET', `/groups/${group.id}/epics?search=elsewhere`);
    expect(epic?.description.replace(/[0-9a-f]{32}/, 'SECRET')).toBe(
      `${project.fullPath}#${made.issue?.iid} &${made.epic?.iid} ${project.fullPath}~${made.label?.id} [a.txt](/uploads/SECRET/a.txt)`,
    );
    expect(epic?.description).not.toContain(file.url);
    expect((await textsOf(`/groups/${group.id}/epics/${epic?.id}`)).map(({ body }) => body)).toContain(
      `As ${project.fullPath}#${made.issue?.iid} says`,
    );
    expect((await call<Json[]>('GET', `/groups/${group.id}/uploads`)).length).toBe(1);
  });
});
