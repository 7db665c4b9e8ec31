/** What a completion offers, found by the public API as one types. */
import { client, unwrap, unwrapAll } from '../../lib/api.ts';
import { wholeRequests } from '../../lib/merge-requests.ts';
import { type CommandTarget, quickActionsFor } from './commands.ts';
import { bestMatches, quotedName, type Trigger } from './completion.ts';

export interface EditorPlace {
  readonly kind: 'project' | 'group';
  readonly path: string;
}

export interface Candidate {
  /** What takes the place of what was typed. */
  readonly insert: string;
  readonly label: string;
  readonly hint?: string;
  readonly color?: string;
}

const most = 8;

async function people({ kind, path }: EditorPlace, query: string): Promise<readonly Candidate[]> {
  const found = { per_page: most, ...(query ? { query } : {}) };
  const params = { path: { id: path }, query: found };
  const members =
    kind === 'project'
      ? await unwrap(client.GET('/projects/{id}/members/all', { params }))
      : await unwrap(client.GET('/groups/{id}/members/all', { params }));
  const known = new Set(members.map(({ id }) => id));
  const others =
    query.length < 2 || members.length >= most
      ? []
      : await unwrap(client.GET('/users', { params: { query: { search: query, active: true, per_page: most } } }));
  return [...members, ...others.filter(({ id }) => !known.has(id))]
    .slice(0, most)
    .map(({ username, name }) => ({ insert: `@${username}`, label: `@${username}`, hint: name }));
}

async function issues({ kind, path }: EditorPlace, query: string): Promise<readonly Candidate[]> {
  const found = /^\d+$/.test(query)
    ? { 'iids[]': [Number(query)] }
    : query
      ? { search: query, 'in[]': ['title' as const] }
      : {};
  const params = { path: { id: path }, query: { ...found, scope: 'all', per_page: most } as const };
  const list =
    kind === 'project'
      ? await unwrap(client.GET('/projects/{id}/issues', { params }))
      : await unwrap(client.GET('/groups/{id}/issues', { params }));
  return list.map(({ references, title }) => {
    const reference = kind === 'project' ? references.short : references.full;
    return { insert: reference, label: reference, hint: title };
  });
}

async function requests({ kind, path }: EditorPlace, query: string): Promise<readonly Candidate[]> {
  const found = /^\d+$/.test(query)
    ? { 'iids[]': [Number(query)] }
    : query
      ? { search: query, 'in[]': ['title' as const] }
      : {};
  const params = { path: { id: path }, query: { ...found, scope: 'all', per_page: most } as const };
  const list =
    kind === 'project'
      ? await unwrap(client.GET('/projects/{id}/merge_requests', { params }))
      : await unwrap(client.GET('/groups/{id}/merge_requests', { params }));
  return wholeRequests(list).map(({ references, title }) => {
    const reference = kind === 'project' ? references.short : references.full;
    return { insert: reference, label: reference, hint: title };
  });
}

async function labels({ kind, path }: EditorPlace, query: string): Promise<readonly Candidate[]> {
  const params = { path: { id: path }, query: { per_page: most, ...(query ? { search: query } : {}) } };
  const list =
    kind === 'project'
      ? await unwrap(client.GET('/projects/{id}/labels', { params }))
      : await unwrap(client.GET('/groups/{id}/labels', { params }));
  return list.map(({ name, color }) => ({ insert: quotedName('~', name), label: name, color }));
}

async function milestones({ kind, path }: EditorPlace, query: string): Promise<readonly Candidate[]> {
  const found = {
    state: 'active',
    include_ancestors: true,
    per_page: most,
    ...(query ? { search: query } : {}),
  } as const;
  const params = { path: { id: path }, query: found };
  const list =
    kind === 'project'
      ? await unwrap(client.GET('/projects/{id}/milestones', { params }))
      : await unwrap(client.GET('/groups/{id}/milestones', { params }));
  return list.map(({ title, due_date }) => ({
    insert: quotedName('%', title),
    label: title,
    ...(due_date ? { hint: `Due ${due_date}` } : {}),
  }));
}

/** Of the group that the text is in and those above it: a project's text means those of its group by `&1`. */
async function epics({ kind, path }: EditorPlace, query: string): Promise<readonly Candidate[]> {
  const group = kind === 'group' ? path : path.slice(0, path.lastIndexOf('/'));
  if (kind === 'project') {
    // Projects of people have no epics above them.
    const params = { path: { id: path }, query: { per_page: 100 } };
    const above = await unwrapAll(client.GET('/projects/{id}/groups', { params }));
    if (!above.some(({ full_path }) => full_path === group)) return [];
  }
  const wanted = /^\d+$/.test(query);
  const found = {
    ...{ include_ancestor_groups: true, include_descendant_groups: false, per_page: wanted ? 100 : most },
    ...(query && !wanted ? { search: query } : {}),
  };
  const list = await unwrap(client.GET('/groups/{id}/epics', { params: { path: { id: group }, query: found } }));
  return list
    .filter(({ iid }) => !wanted || String(iid).startsWith(query))
    .slice(0, most)
    .map(({ references, title }) => ({ insert: references.relative, label: references.relative, hint: title }));
}

async function snippets({ kind, path }: EditorPlace, query: string): Promise<readonly Candidate[]> {
  if (kind !== 'project') return [];
  const params = { path: { id: path }, query: { per_page: 100 } };
  const list = await unwrapAll(client.GET('/projects/{id}/snippets', { params }));
  const byId = /^\d+$/.test(query);
  const found = bestMatches(list, query, ({ id, title }) => (byId ? String(id) : title));
  return found.slice(0, most).map(({ id, title }) => ({
    insert: `$${id}`,
    label: `$${id}`,
    hint: title,
  }));
}

async function emoji(query: string): Promise<readonly Candidate[]> {
  const { emojiNames } = await import('./emoji.gen.ts');
  const found = bestMatches(emojiNames, query, ([name]) => name);
  return found.slice(0, most).map(([name, character]) => ({
    insert: `:${name}:`,
    label: `${character} ${name}`,
  }));
}

function commands(target: CommandTarget | undefined, query: string): readonly Candidate[] {
  if (!target) return [];
  const found = bestMatches(quickActionsFor(target), query, ({ name }) => name);
  return found.slice(0, most).map(({ name, argument = '', what }) => ({
    insert: `/${name}${argument}`,
    label: `/${name}`,
    hint: what,
  }));
}

/** What a trigger asks for. `target` is what quick actions act on; none are offered without it. */
export async function candidatesOf(
  place: EditorPlace,
  target: CommandTarget | undefined,
  { kind, query }: Trigger,
): Promise<readonly Candidate[]> {
  switch (kind) {
    case 'people':
      return await people(place, query);
    case 'issues':
      return await issues(place, query);
    case 'requests':
      return await requests(place, query);
    case 'labels':
      return await labels(place, query);
    case 'milestones':
      return await milestones(place, query);
    case 'epics':
      return await epics(place, query);
    case 'snippets':
      return await snippets(place, query);
    case 'emoji':
      return await emoji(query);
    case 'commands':
      return commands(target, query);
  }
}
