/** The search: what its page asks, and what is found as rows with an address each. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

/** What stands in the address of the page. Projects and groups are named by path or id. */
export interface SearchAddress {
  readonly search?: string | undefined;
  readonly scope?: string | undefined;
  readonly group_id?: string | undefined;
  readonly project_id?: string | undefined;
  readonly state?: string | undefined;
  readonly page?: number | undefined;
  /** Whether code is searched for a regular expression. */
  readonly regex?: boolean | undefined;
  /** Whether archived projects are searched as well, where many are. */
  readonly archived?: boolean | undefined;
}

const archivedToo = ({ archived, project_id }: SearchAddress) =>
  archived && project_id === undefined ? { include_archived: true } : {};

export const scopeNames = {
  projects: 'Projects',
  issues: 'Issues',
  merge_requests: 'Merge requests',
  milestones: 'Milestones',
  epics: 'Epics',
  snippet_titles: 'Snippets',
  users: 'Users',
  blobs: 'Code',
  commits: 'Commits',
  notes: 'Comments',
  wiki_blobs: 'Wiki',
} as const;
export type Scope = keyof typeof scopeNames;

const inProjects: readonly Scope[] = [
  'blobs',
  'issues',
  'merge_requests',
  'commits',
  'notes',
  'wiki_blobs',
  'milestones',
  'users',
];
const inGroups: readonly Scope[] = [
  'projects',
  'blobs',
  'issues',
  'merge_requests',
  'commits',
  'notes',
  'wiki_blobs',
  'milestones',
  'epics',
  'users',
];
const isScope = (name: string): name is Scope => Object.hasOwn(scopeNames, name);
/** Without an account nobody looks for people. */
const forVisitors = (scopes: readonly Scope[], signedIn: boolean) =>
  signedIn ? scopes : scopes.filter((scope) => scope !== 'users');

type Configured = Schemas['InstanceConfiguration']['search'];

/** What can be looked for where the address says. */
export function scopesOf(at: SearchAddress, { scopes }: Configured, signedIn: boolean): readonly Scope[] {
  if (at.project_id !== undefined) return forVisitors(inProjects, signedIn);
  return forVisitors(at.group_id === undefined ? scopes.filter(isScope) : inGroups, signedIn);
}

/** The scope that is meant; the first one where the address names none that there is here. */
export function scopeOf(at: SearchAddress, configured: Configured, signedIn: boolean): Scope | undefined {
  const known = scopesOf(at, configured, signedIn);
  return (
    [at.scope, configured.default_scope].flatMap((name) => known.find((each) => each === name) ?? [])[0] ?? known[0]
  );
}

/** Lines of a file, of which at least one holds the text, or the beginning of a file that is named so. */
interface Blob {
  readonly path: string;
  readonly data: string;
  readonly ref: string;
  readonly startline: number;
  /** Set in the wiki of a group. */
  readonly group_id?: number | null;
  /** Full path of the project or group. */
  readonly project_path: string;
}
type Commit = Pick<Schemas['Commit'], 'id' | 'short_id' | 'title' | 'author_name' | 'committed_date' | 'web_url'>;
/** Of the project, or of the group of an epic. */
type Note = Schemas['Note'] & { readonly project_path: string };

export interface FoundCode {
  readonly path: string;
  readonly text: string;
  readonly first: number;
}

export interface FoundRow {
  readonly key: string;
  readonly title: string;
  /** On this instance. */
  readonly href: string;
  readonly meta: readonly string[];
  readonly at?: string;
  readonly code?: FoundCode;
}

/** A path of files in an address. */
export const encodedPath = (path: string) => path.split('/').map(encodeURIComponent).join('/');
const local = (url: string) => {
  const { pathname, hash } = new URL(url);
  return pathname + hash;
};
/** `group/project` of `https://host/group/project/-/issues/1`. */
const placeOf = (url: string) => new URL(url).pathname.slice(1).split('/-/')[0] ?? '';

const filters = /(^|\s)-?(filename|path|file|f|extension|ext|language|lang|l|blob|case):("[^"]+"|\S+)(?=\s|$)/g;

/** What stands out in lines: the text of a search for files without its filters; nothing where that is an expression. */
export const textOf = ({ search = '', regex }: SearchAddress): string =>
  regex ? '' : search.replace(filters, '').replaceAll(/\s+/g, ' ').trim();

function codeRow(blob: Blob, text: string, project: string, href: (line: number) => string): FoundRow {
  const lines = blob.data.split('\n');
  const wanted = text.toLowerCase();
  const at = Math.max(0, wanted === '' ? 0 : lines.findIndex((line) => line.toLowerCase().includes(wanted)));
  return {
    key: `${blob.project_path}:${blob.path}:${blob.startline}`,
    title: blob.path,
    href: href(blob.startline + at),
    meta: project === '' ? [blob.project_path, blob.ref] : [blob.ref],
    ...(blob.data === '' ? {} : { code: { path: blob.path, text: blob.data, first: blob.startline } }),
  };
}

const noteables: Readonly<Record<string, readonly [name: string, path: string, sign: string]>> = {
  Issue: ['issue', 'issues', '#'],
  MergeRequest: ['merge request', 'merge_requests', '!'],
  Snippet: ['snippet', 'snippets', '$'],
  Epic: ['epic', 'epics', '&'],
};

function noteRow(note: Note, project: string): FoundRow {
  const [name, path, sign] = noteables[note.noteable_type] ?? ['commit', 'commit', ''];
  const number = note.noteable_iid ?? note.noteable_id ?? note.commit_id ?? '';
  const shown = String(number).slice(0, sign === '' ? 8 : undefined);
  return {
    key: String(note.id),
    title: note.body.replaceAll(/\s+/g, ' ').slice(0, 200),
    href: `${note.project_id === null ? '/groups' : ''}/${note.project_path}/-/${path}/${number}#note_${note.id}`,
    meta: [
      ...(project === '' ? [note.project_path] : []),
      `${name} ${sign}${shown}`,
      note.author.name,
      ...(note.internal ? ['Internal'] : []),
    ],
    at: note.created_at,
  };
}

export const stateNames: Readonly<Record<string, string>> = {
  opened: 'Open',
  active: 'Active',
  merged: 'Merged',
  closed: 'Closed',
};

const titled = (of: {
  id: number;
  iid: number;
  title: string;
  web_url: string;
  state: string;
  created_at: string;
}): FoundRow => ({
  key: String(of.id),
  title: of.title,
  href: local(of.web_url),
  meta: [placeOf(of.web_url), stateNames[of.state] ?? of.state],
  at: of.created_at,
});

/** One result as a row; `text` is what stands out, `project` the full path of the one that was searched. */
export function rowOf(scope: Scope, item: unknown, text: string, project: string): FoundRow {
  switch (scope) {
    case 'projects': {
      const { id, name_with_namespace, web_url, description } = item as Schemas['Project'];
      return {
        key: String(id),
        title: name_with_namespace,
        href: local(web_url),
        meta: description ? [description] : [],
      };
    }
    case 'users': {
      const { id, name, username, web_url } = item as Schemas['UserReference'];
      return { key: String(id), title: name, href: local(web_url), meta: [`@${username}`] };
    }
    case 'snippet_titles': {
      const { id, title, web_url, author, created_at } = item as Schemas['Snippet'];
      return { key: String(id), title, href: local(web_url), meta: [`$${id}`, author.name], at: created_at };
    }
    case 'commits': {
      const { short_id, title, author_name, committed_date, web_url } = item as Commit;
      const place = project === '' ? [placeOf(web_url)] : [];
      return { key: web_url, title, href: local(web_url), meta: [...place, short_id, author_name], at: committed_date };
    }
    case 'blobs': {
      const blob = item as Blob;
      const address = `/${blob.project_path}/-/blob/${encodedPath(`${blob.ref}/${blob.path}`)}`;
      return codeRow(blob, text, project, (line) => `${address}#L${line}`);
    }
    case 'wiki_blobs': {
      const blob = item as Blob;
      const slug = blob.path.replace(/(?<=[^/])\.[^./]*$/, '');
      const address = `${blob.group_id ? '/groups' : ''}/${blob.project_path}/-/wikis/${encodedPath(slug)}`;
      return { ...codeRow(blob, text, project, () => address), title: slug };
    }
    case 'notes':
      return noteRow(item as Note, project);
    default:
      return titled(item as Parameters<typeof titled>[0]);
  }
}

export const states: Readonly<Partial<Record<Scope, readonly string[]>>> = {
  issues: ['opened', 'closed'],
  merge_requests: ['opened', 'merged', 'closed'],
  epics: ['opened', 'closed'],
};

/** Whether a scope looks into files. */
export const isCode = (scope: Scope | undefined): boolean => scope === 'blobs' || scope === 'wiki_blobs';

/** One page of what is found; nothing is asked for without a text. */
export const found = (at: SearchAddress, scope: Scope) =>
  queryOptions({
    queryKey: ['search', scope, at],
    queryFn: async () => {
      const search = at.search ?? '';
      const state = states[scope]?.includes(at.state ?? '') ? (at.state as 'opened') : undefined;
      const more = {
        ...(state ? { state } : {}),
        ...(at.regex && isCode(scope) ? { regex: true } : {}),
        ...archivedToo(at),
      };
      const query = { scope: scope as 'issues', search, page: at.page ?? 1, per_page: 20, ...more };
      const { project_id: project, group_id: group } = at;
      return await unwrapPage(
        project !== undefined
          ? client.GET('/projects/{id}/search', { params: { path: { id: project }, query } })
          : group !== undefined
            ? client.GET('/groups/{id}/search', { params: { path: { id: group }, query } })
            : client.GET('/search', { params: { query } }),
      );
    },
    staleTime: 30_000,
  });

type CodeFacets = Schemas['CodeFacets'];

/** Of which projects, languages and directories the files are; null for other kinds of results. */
export const facets = (at: SearchAddress, scope: Scope) => {
  const { search = '', project_id: project, group_id: group, regex } = at;
  return queryOptions({
    queryKey: ['search-facets', scope, search, project, group, regex, at.archived],
    queryFn: async (): Promise<CodeFacets> => {
      const query = { scope: scope as 'blobs', search, ...(regex ? { regex } : {}), ...archivedToo(at) };
      return await unwrap(
        project !== undefined
          ? client.GET('/projects/{id}/search/facets', { params: { path: { id: project }, query } })
          : group !== undefined
            ? client.GET('/groups/{id}/search/facets', { params: { path: { id: group }, query } })
            : client.GET('/search/facets', { params: { query } }),
      );
    },
    staleTime: 30_000,
  });
};

/** Longer texts are looked for, and not counted. */
const longestCounted = 256;

/** How much is found by scope, in words: `3`, or `10,000+` where there is more than was counted. */
export const scopeCounts = (at: SearchAddress) => {
  const { search = '', project_id: project, group_id: group, regex } = at;
  return queryOptions({
    queryKey: ['search-counts', search, project, group, regex, at.archived],
    queryFn: async () => {
      const query = { search, ...(regex ? { regex } : {}), ...archivedToo(at) };
      const { counts } = await unwrap(
        project !== undefined
          ? client.GET('/projects/{id}/search/counts', { params: { path: { id: project }, query } })
          : group !== undefined
            ? client.GET('/groups/{id}/search/counts', { params: { path: { id: group }, query } })
            : client.GET('/search/counts', { params: { query } }),
      );
      return new Map(counts.map(({ scope, count, more }) => [scope, `${count.toLocaleString()}${more ? '+' : ''}`]));
    },
    enabled: search !== '' && search.length <= longestCounted,
    staleTime: 30_000,
  });
};

export interface Facet {
  readonly name: string;
  readonly files: number;
  /** What it changes in the address. */
  readonly change: Partial<SearchAddress>;
}

/** Facets by group, without those that leave no choice. */
export function facetGroups(found: CodeFacets, { search = '', project_id: project }: SearchAddress) {
  const filtered = (filter: string) => ({ search: `${search} ${filter}` });
  const quoted = (text: string) => (/\s/.test(text) ? `"${text}"` : text);
  const groups: { readonly label: string; readonly values: readonly Facet[] }[] = [
    {
      label: 'Projects',
      values:
        project === undefined
          ? found.projects.map(({ project_path: name, files, group_id }) => ({
              name,
              files,
              change: group_id === null ? { project_id: name, group_id: undefined } : { group_id: name },
            }))
          : [],
    },
    {
      label: 'Languages',
      values: found.languages.map(({ name, files }) => ({ name, files, change: filtered(`language:${quoted(name)}`) })),
    },
    {
      label: 'Directories',
      values: found.directories.map(({ path, files }) => ({
        name: path,
        files,
        change: filtered(`path:${quoted(path)}`),
      })),
    },
  ];
  return groups.filter(({ values }) => values.length > 1);
}

/** Where a search may be narrowed to, by name. */
export const placesNamed = (text: string) =>
  queryOptions({
    queryKey: ['search-places', text],
    queryFn: async () => {
      const query = { search: text, per_page: 10 };
      const [projects, groups] = await Promise.all([
        unwrap(client.GET('/projects', { params: { query: { ...query, simple: true, search_namespaces: true } } })),
        unwrap(client.GET('/groups', { params: { query } })),
      ]);
      return {
        projects: projects.map((each) => each.path_with_namespace),
        groups: groups.map((each) => each.full_path),
      };
    },
    staleTime: 30_000,
  });

/** What changes in the address when the search goes to another place: the scopes there are others. */
export function placeChange(value: string | null): Partial<SearchAddress> {
  const [, kind, path] = /^(project|group):(.+)$/.exec(value ?? '') ?? [];
  return {
    project_id: kind === 'project' ? path : undefined,
    group_id: kind === 'group' ? path : undefined,
    page: undefined,
    state: undefined,
  };
}

export const placeValue = ({ project_id, group_id }: SearchAddress): string | null =>
  project_id !== undefined ? `project:${project_id}` : group_id !== undefined ? `group:${group_id}` : null;

/** Parts of a text that are what was looked for, and those between them. */
export function marks(text: string, wanted: string): readonly { readonly text: string; readonly hit: boolean }[] {
  if (wanted === '') return [{ text, hit: false }];
  const parts: { text: string; hit: boolean }[] = [];
  const lower = text.toLowerCase();
  let at = 0;
  for (let hit = lower.indexOf(wanted.toLowerCase()); hit >= 0; hit = lower.indexOf(wanted.toLowerCase(), at)) {
    if (hit > at) parts.push({ text: text.slice(at, hit), hit: false });
    parts.push({ text: text.slice(hit, hit + wanted.length), hit: true });
    at = hit + wanted.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), hit: false });
  return parts;
}
