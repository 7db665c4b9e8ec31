/** References in texts: what they lead to, and that they name nothing that the reader may not see. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { type BuiltToken, buildGroup, buildToken } from '../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';
import { Level } from '../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let hidden: RepositoryProject;
let stranger: BuiltToken;
let guest: BuiltToken;
let group: { readonly id: number; readonly full_path: string };
let closed: { readonly id: number; readonly full_path: string };
/** What a path was answered with when something was made there. */
const made: Record<string, Json> = {};

beforeAll(async () => {
  app = await startTestApp();
  const owner = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  closed = await buildGroup(app, { owner: owner.user, visibility: 'private' });
  project = await buildRepositoryProject(app, { owner, visibility: 'public', settings: { namespace_id: group.id } });
  hidden = await buildRepositoryProject(app, { owner, settings: { namespace_id: closed.id } });
  stranger = await buildToken(app);
  guest = await project.member(Level.guest);
  const make = async (key: string, path: string, json: Json) => {
    const answer = await app.api<Json>('POST', path, { token: owner.secret, json });
    expect(answer.status, key).toBe(201);
    made[key] = answer.body;
  };
  for (const [name, each, above] of [
    ['', project, group],
    ['hidden ', hidden, closed],
  ] as const) {
    const at = `/projects/${each.id}`;
    await make(`${name}issue`, `${at}/issues`, { title: `An <open> ${name}issue` });
    await make(`${name}secret`, `${at}/issues`, { title: `A ${name}secret`, confidential: true });
    await make(`${name}epic`, `/groups/${above.id}/epics`, { title: `An ${name}epic` });
    await make(`${name}secret epic`, `/groups/${above.id}/epics`, { title: `A ${name}secret`, confidential: true });
    await make(`${name}milestone`, `${at}/milestones`, { title: `${name}v1.0` });
    await make(`${name}group milestone`, `/groups/${above.id}/milestones`, { title: `${name}Two words` });
    await make(`${name}bug`, `${at}/labels`, { name: `${name}bug`, color: '#d9534f', description: 'Broken' });
    await make(`${name}scoped`, `/groups/${above.id}/labels`, { name: `${name}priority::high`, color: '#ffff00' });
    const files = [{ file_path: 'a.txt', content: 'a' }];
    await make(`${name}snippet`, `${at}/snippets`, { title: `A ${name}snippet`, visibility: 'public', files });
    await make(`${name}private snippet`, `${at}/snippets`, { title: `A ${name}secret`, visibility: 'private', files });
  }
});
afterAll(() => app.close());

async function rendered(text: string, by: BuiltToken = project.owner, more: Json = { project: project.fullPath }) {
  const json = { text, gfm: true, ...more };
  const answer = await app.api<{ html: string }>('POST', '/markdown', { token: by.secret, json });
  expect(answer.status).toBe(201);
  return answer.body.html.trim().replace(/^<p>|<\/p>$/g, '');
}
const link = (path: string, title: string, kind: string, text: string) =>
  `<a href="${app.url}${path}" title="${title}" class="gfm gfm-${kind}" data-reference-type="${kind}">${text}</a>`;
const label = (path: string, name: string, title: string, parts: string) =>
  link(`${path}/-/issues?label_name[]=${encodeURIComponent(name)}`, title, 'label', parts);
const red = '<span class="gfm-label-text" style="background-color: #d9534f; color: #FFFFFF">bug</span>';
const high =
  '<span class="gfm-label-text" style="background-color: #ffff00; color: #1F1E24">priority</span><span class="gfm-label-scoped" style="border-color: #ffff00">high</span>';

describe('references', () => {
  it('lead to what is in the project and the groups above it', async () => {
    const at = `/${project.fullPath}`;
    const above = `/groups/${group.full_path}`;
    const snippet = made.snippet?.id;
    expect(await rendered(`#1 &1 $${snippet}`)).toBe(
      [
        link(`${at}/-/issues/1`, 'An &lt;open&gt; issue', 'issue', '#1'),
        link(`${above}/-/epics/1`, 'An epic', 'epic', '&amp;1'),
        link(`${at}/-/snippets/${snippet}`, 'A snippet', 'snippet', `$${snippet}`),
      ].join(' '),
    );
    const milestone = link(`${at}/-/milestones/1`, 'v1.0', 'milestone', '%v1.0');
    expect(await rendered('%v1.0.')).toBe(`${milestone}.`);
    expect(await rendered('%1')).toBe(milestone.replace('>%v1.0<', '>%1<'));
    expect(await rendered('%"Two words"')).toBe(
      link(`${above}/-/milestones/1`, 'Two words', 'milestone', '%&quot;Two words&quot;'),
    );
    expect(await rendered(`~bug ~"priority::high" ~${made.bug?.id}`)).toBe(
      [
        label(at, 'bug', 'Broken', red),
        label(at, 'priority::high', 'priority::high', high),
        label(at, 'bug', 'Broken', red),
      ].join(' '),
    );
    expect(await rendered(`@${group.full_path}`)).toContain(`href="${app.url}/groups/${group.full_path}"`);
  });

  it('reach other places by path, and those of groups from texts of the group', async () => {
    const at = `/${project.fullPath}`;
    const name = project.fullPath.split('/').at(-1);
    const issue = (text: string) => link(`${at}/-/issues/1`, 'An &lt;open&gt; issue', 'issue', text);
    expect(await rendered(`${project.fullPath}#1`, project.owner, {})).toBe(issue(`${project.fullPath}#1`));
    expect(await rendered(`${name}#1`)).toBe(issue(`${name}#1`));
    expect(await rendered(`${group.full_path}&1`, project.owner, {})).toContain('gfm-epic');
    expect(await rendered('&1 %"Two words" ~priority::high #1', project.owner, { group: group.full_path })).toMatch(
      /gfm-epic.*gfm-milestone.*gfm-label.* #1$/,
    );
  });

  it('are commits and ranges of commits', async () => {
    const head = async (ref: string) =>
      (await project.api<{ commit: { id: string } }>('GET', `/repository/branches/${ref}`)).body.commit.id;
    const before = await head('main');
    await project.commit('topic', { 'b.txt': 'b' }, { start_branch: 'main' });
    const range = `${before.slice(0, 8)}...${(await head('topic')).slice(0, 10)}`;
    expect(await rendered(range)).toContain(`/-/compare/${before}...${await head('topic')}"`);
    expect(await rendered(`${range.slice(0, -10)}0000000000`)).not.toContain('<a');
  });

  it('shorten addresses of this instance', async () => {
    const at = `${app.url}/${project.fullPath}/-`;
    expect(await rendered(`${at}/issues/1`)).toBe(
      link(`/${project.fullPath}/-/issues/1`, 'An &lt;open&gt; issue', 'issue', '#1'),
    );
    const far = `${app.url}/${hidden.fullPath}/-/issues/1#note_7`;
    expect(await rendered(far)).toBe(
      link(
        `/${hidden.fullPath}/-/issues/1#note_7`,
        'An &lt;open&gt; hidden issue',
        'issue',
        `${hidden.fullPath}#1 (comment 7)`,
      ),
    );
    expect(await rendered(far, stranger)).toBe(`<a href="${far}">${far}</a>`);
    expect(await rendered(`[here](${at}/issues/1)`)).toBe(`<a href="${at}/issues/1">here</a>`);
    expect(await rendered(`${at}/issues/99`)).toBe(`<a href="${at}/issues/99">${at}/issues/99</a>`);
  });

  it('name what is closed, and with a plus the title, assignees, milestone and health status', async () => {
    const at = `/projects/${project.id}`;
    const as = { token: project.owner.secret };
    const people = [await project.member(Level.developer), await project.member(Level.developer)];
    const { user } = project.owner;
    const title = `Long <title> ${'x'.repeat(60)}`;
    const json = {
      ...{ title, assignee_ids: [user.id, ...people.map(({ user: { id } }) => id)], health_status: 'at_risk' },
      milestone_id: made.milestone?.id,
    };
    const { iid } = (await app.api<{ iid: number }>('POST', `${at}/issues`, { ...as, json })).body;
    const words = async (text: string) => (await rendered(text)).replaceAll(/<a [^>]*>|<\/a>/g, '');
    const short = `Long &lt;title&gt; ${'x'.repeat(36)}…`;
    expect(await words(`#${iid}+, #1+s. #${iid}+x`)).toBe(
      `${short} (#${iid}), An &lt;open&gt; issue (#1) • Unassigned. #${iid}+x`,
    );
    const names = `${user.name}, ${people[0]?.user.name}+`;
    expect(await words(`#${iid}+s`)).toBe(`${short} (#${iid}) • ${names} • v1.0 • At risk`);
    expect(await rendered(`#${iid}+`)).toContain('data-reference-format="+"');
    expect(await words('&1+ #999+ #2+s')).toMatch(/^An epic \(&amp;1\) #999\+ A secret \(#2\) • Unassigned$/);
    expect(await rendered('#2+s', stranger)).toBe('#2+s');
    expect(await words(`${app.url}/${project.fullPath}/-/issues/1+`)).toBe('An &lt;open&gt; issue (#1)');
    expect((await app.api('PUT', `${at}/issues/${iid}`, { ...as, json: { state_event: 'close' } })).status).toBe(200);
    expect(await words(`#${iid} #${iid}+`)).toBe(`#${iid} (closed) ${short} (#${iid} - closed)`);
    await project.commit('plus', { 'plus.txt': 'b' }, { start_branch: 'main' });
    const request = { source_branch: 'plus', target_branch: 'main', title: 'Plus', assignee_id: user.id };
    const opened = await app.api<{ iid: number }>('POST', `${at}/merge_requests`, { ...as, json: request });
    expect(await words(`!${opened.body.iid}+s`)).toBe(`Plus (!${opened.body.iid}) • ${user.name}`);
  });

  it('are none in code, in links, and where nothing is named', async () => {
    for (const text of ['`#1`', '[#1](x)', '#999', '%nothing', '~"no label"', '&99', '$0', '12#1'])
      expect(await rendered(text), text).not.toContain('gfm');
  });

  it('security 17: name nothing that the reader may not see', async () => {
    const named = (key: string) => String(made[key]?.id);
    const everything = [
      '#2 &2',
      `$${named('private snippet')}`,
      `${hidden.fullPath}#1 ${hidden.fullPath}$${named('hidden snippet')} ${closed.full_path}&1`,
      `${hidden.fullPath}%"hidden v1.0" ${closed.full_path}%"hidden Two words"`,
      `${hidden.fullPath}~"hidden bug" ${closed.full_path}~"hidden priority::high" ~${named('hidden bug')}`,
      `@${closed.full_path}`,
    ].join('\n');
    const kinds = (html: string) => [...html.matchAll(/data-reference-type="(\w+)"/g)].map(([, kind]) => kind);
    expect(kinds(await rendered(everything))).toEqual(
      'issue epic snippet issue snippet epic milestone milestone label label group'.split(' '),
    );
    expect(await rendered(everything, stranger)).not.toMatch(/<a|secret"/);
    // A guest of the project sees what its members see, and nothing confidential.
    expect(kinds(await rendered(everything, guest))).toEqual(['snippet']);
    // The same text again, for those who see all of it.
    expect(kinds(await rendered(everything))).toHaveLength(11);
    const own = await app.api<Json>('POST', `/projects/${project.id}/issues`, {
      token: guest.secret,
      json: { title: 'Mine', confidential: true },
    });
    expect(await rendered(`#${own.body.iid}`, guest)).toContain('title="Mine"');
    expect(await rendered(`#${own.body.iid}`, stranger)).toBe(`#${own.body.iid}`);
  });
});
