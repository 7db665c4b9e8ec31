/** Routes of the search: everywhere, in a group, in a project. */
import Type from 'typebox';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { AnyJson, ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, unauthorized } from '../../../kernel/http/errors.ts';
import type { Paged } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, List, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { countEach, SearchCounts } from './counts.ts';
import { CodeFacets } from './facets.ts';
import { type FoundFiles, type SearchContext, type SearchDependencies, searches, type Wanted } from './search.ts';

const inRepositories = ['blobs', 'commits', 'notes', 'wiki_blobs'] as const;
/** Files of many repositories, in their index. */
const indexed = ['blobs', 'wiki_blobs'] as const;
const everywhere = ['projects', 'issues', 'merge_requests', 'milestones', 'snippet_titles', 'users', 'epics'] as const;
const inGroups = ['projects', 'issues', 'merge_requests', 'milestones', 'users', 'epics'] as const;
const inProjects = ['issues', 'merge_requests', 'milestones', 'users', ...inRepositories] as const;
type RepositoryScope = (typeof inRepositories)[number];
type GlobalScope = (typeof everywhere)[number] | RepositoryScope;

/** Scopes of which a setting says whether everything is searched. */
const isOn: Readonly<Partial<Record<GlobalScope, (values: ApplicationSettings) => boolean>>> = {
  blobs: (values) => values.global_search_code_enabled,
  commits: (values) => values.global_search_commits_enabled,
  epics: (values) => values.global_search_epics_enabled,
  issues: (values) => values.global_search_issues_enabled,
  merge_requests: (values) => values.global_search_merge_requests_enabled,
  snippet_titles: (values) => values.global_search_snippet_titles_enabled,
  users: (values) => values.global_search_users_enabled,
  wiki_blobs: (values) => values.global_search_wiki_enabled,
};

/** Scopes that search everything, as far as the settings allow it. */
export const globalScopes = (values: ApplicationSettings): string[] =>
  [...everywhere, ...inRepositories].filter((scope) => isOn[scope]?.(values) ?? true);

const filters = {
  search: Str({ minLength: 1, maxLength: 4096, description: 'What is looked for, whatever its case' }),
  state: Optional(OneOf(['all', 'opened', 'closed', 'merged'], { description: 'Of issues, merge requests and epics' })),
  confidential: Optional(Bool({ description: 'Whether issues and epics are confidential' })),
  order_by: Optional(OneOf(['created_at'], { description: 'What the list is ordered by' })),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Direction of the order' })),
  num_context_lines: Optional(
    Int({ minimum: 0, maximum: 20, description: 'Lines before and after those found in files; 2 when absent' }),
  ),
  regex: Optional(
    Bool({ default: false, description: 'Whether what is looked for in files is a regular expression of RE2' }),
  ),
  fields: Optional(
    List(OneOf(['title']), {
      commas: true,
      description: 'Where issues and merge requests have what is looked for; title and description when absent',
    }),
  ),
  search_type: Optional(
    OneOf(['basic', 'advanced', 'zoekt'], {
      description: '`basic` searches the files of a project without their index',
    }),
  ),
};
const manyFilters = {
  ...filters,
  include_archived: Optional(Bool({ default: false, description: 'Whether archived projects are searched as well' })),
  exclude_forks: Optional(Bool({ default: true, description: 'Whether files and commits of forks are left out' })),
};
const ofFacets = {
  scope: OneOf(indexed, { description: 'Files of repositories, or of wikis' }),
  search: filters.search,
  regex: filters.regex,
  exclude_forks: manyFilters.exclude_forks,
  include_archived: manyFilters.include_archived,
};
const common = {
  method: 'GET',
  tag: 'Search',
  credentials: ['token', 'session'],
  pagination: 'offset',
  rate: ['search_rate_limit', 'search_rate_limit_unauthenticated'],
  responses: { 200: ListOf(AnyJson({ description: 'As lists of the scope show it' })) },
} as const;
const scoped = <const S extends readonly string[]>(scopes: S) => OneOf(scopes, { description: 'What is looked for' });

type FileScope = (typeof indexed)[number];
const isOfFiles = (scope: string): scope is FileScope => (indexed as readonly string[]).includes(scope);
const kindOf = (scope: FileScope) => (scope === 'blobs' ? 'code' : 'wiki');

/** Typed clients ask with the mark of pages in the path. */
const forms = <Base extends string>(base: Base) => [`${base}/search`, `${base}/-/search`] as const;
const older = (path: string) => (path.includes('/-/') ? ' (other form of the route)' : '');

export function searchRoutes(deps: SearchDependencies & { readonly settings: Pick<Settings, 'read'> }): Route[] {
  const found = searches(deps);

  /** The settings, where the caller may search at all. */
  async function allowed(caller: Caller): Promise<ApplicationSettings> {
    const values = await deps.settings.read();
    if (caller.user === null && !values.anonymous_searches_allowed) throw unauthorized();
    return values;
  }
  type Header = (name: string, value: string) => void;
  const answered = (type: 'basic' | 'advanced') => (work: Promise<Paged>, header: Header) => {
    header('X-Search-Type', type);
    return work;
  };
  const basic = answered('basic');
  const advanced = answered('advanced');
  const inFiles = async (work: Promise<FoundFiles>, header: Header): Promise<Paged> => {
    const { type, found: page } = await work;
    header('X-Search-Type', type);
    return page;
  };
  const wantedOf = <P extends { readonly sort?: 'asc' | 'desc' }>(params: P) => ({
    ...params,
    sort: params.sort ?? ('desc' as const),
  });

  /** Records and history of everything, or of what is below a group. */
  const many = (place: GroupSubject | null, wanted: Wanted, context: SearchContext) => ({
    projects: () => found.projects(place, wanted, context),
    issues: () => found.issues(place, wanted, context),
    merge_requests: () => found.mergeRequests(place, wanted, context),
    milestones: () => found.milestones(place, wanted, context),
    users: () => found.users(place, wanted, context),
    notes: () => found.notes(place, wanted, context),
    epics: () => found.epics(place, wanted, context),
  });
  const one = (place: ProjectSubject, wanted: Wanted, context: SearchContext) => ({
    issues: () => found.issues(place, wanted, context),
    merge_requests: () => found.mergeRequests(place, wanted, context),
    milestones: () => found.milestones(place, wanted, context),
    users: () => found.users(place, wanted, context),
    notes: () => found.notes(place, wanted, context),
    commits: () => found.commits(place, wanted, context),
  });

  const inGroup = forms('/groups/:id').map((path) =>
    route({
      ...common,
      path,
      acrossProjects: true,
      summary: `Search a group and the projects below it${older(path)}`,
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({
        id: IdOrPath('Id or path of the group'),
        scope: scoped([...inGroups, ...inRepositories]),
        ...manyFilters,
      }),
      handler: async (context) => {
        const { params, caller, subject } = context;
        const { scope } = params;
        await allowed(caller);
        const wanted = wantedOf(params);
        if (isOfFiles(scope))
          return await inFiles(found.manyFiles(subject, kindOf(scope), wanted, context), context.header);
        if (scope === 'commits') return await advanced(found.manyCommits(subject, wanted, context), context.header);
        const work = many(subject, wanted, context)[scope];
        return await basic(work(), context.header);
      },
    }),
  );
  const inProject = forms('/projects/:id').map((path) =>
    route({
      ...common,
      path,
      summary: `Search a project: its records, files and history${older(path)}`,
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        scope: scoped(inProjects),
        ...filters,
        ref: Optional(
          Str({
            minLength: 1,
            maxLength: 1024,
            description: 'Branch, tag or commit for `blobs` and `commits`; the default branch when absent',
          }),
        ),
      }),
      handler: async (context) => {
        const { params, caller, subject } = context;
        await allowed(caller);
        const wanted = wantedOf(params);
        if (params.scope === 'blobs') return await inFiles(found.blobs(subject, wanted, context), context.header);
        if (params.scope === 'wiki_blobs')
          return await inFiles(found.wikiBlobs(subject, wanted, context), context.header);
        const work = one(subject, wanted, context)[params.scope];
        return await basic(work(), context.header);
      },
    }),
  );

  const plain = { method: common.method, tag: common.tag, credentials: common.credentials, rate: common.rate } as const;
  const faceted = { ...plain, responses: { 200: CodeFacets } } as const;

  /** The same search in each scope. Without an account nobody looks for people. */
  const counted = (
    { caller, signal }: Omit<SearchContext, 'page'>,
    scopes: readonly string[],
    works: (context: SearchContext) => Readonly<Record<string, () => Promise<Paged>>>,
  ) =>
    countEach(
      scopes.filter((scope) => scope !== 'users' || caller.user !== null),
      (scope, page) => works({ caller, signal, page })[scope]?.(),
      signal,
    );
  const files = async (work: Promise<FoundFiles>) => (await work).found;
  const manyOf = (place: GroupSubject | null, wanted: Wanted) => (context: SearchContext) => ({
    ...many(place, wanted, context),
    blobs: () => files(found.manyFiles(place, 'code', wanted, context)),
    wiki_blobs: () => files(found.manyFiles(place, 'wiki', wanted, context)),
    commits: () => found.manyCommits(place, wanted, context),
    snippet_titles: () => found.snippetTitles(wanted, context),
  });
  const oneOf = (place: ProjectSubject, wanted: Wanted) => (context: SearchContext) => ({
    ...one(place, wanted, context),
    blobs: () => files(found.blobs(place, wanted, context)),
    wiki_blobs: () => files(found.wikiBlobs(place, wanted, context)),
  });
  const counts = { ...plain, responses: { 200: SearchCounts } } as const;
  const { regex, exclude_forks, include_archived } = manyFilters;
  // Every scope is searched by one request: a text as long as one scope takes would cost as much as all of them.
  const search = Str({ minLength: 1, maxLength: 256, description: 'What is looked for, whatever its case' });
  const countRoutes = [
    route({
      ...counts,
      path: '/search/counts',
      acrossProjects: true,
      summary: 'Count search results by scope',
      access: { on: 'public' },
      params: Type.Object({ search, regex, exclude_forks, include_archived }),
      handler: async ({ params, caller, signal }) => {
        const scopes = globalScopes(await allowed(caller));
        return await counted({ caller, signal }, scopes, manyOf(null, { ...params, sort: 'desc' }));
      },
    }),
    route({
      ...counts,
      path: '/groups/:id/search/counts',
      acrossProjects: true,
      summary: 'Count search results of a group by scope',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({ id: IdOrPath('Id or path of the group'), search, regex, exclude_forks, include_archived }),
      handler: async ({ params, caller, subject, signal }) => {
        await allowed(caller);
        const scopes = [...inGroups, ...inRepositories];
        return await counted({ caller, signal }, scopes, manyOf(subject, { ...params, sort: 'desc' }));
      },
    }),
    route({
      ...counts,
      path: '/projects/:id/search/counts',
      summary: 'Count search results of a project by scope',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({ id: IdOrPath('Id or path of the project'), search, regex }),
      handler: async ({ params, caller, subject, signal }) => {
        await allowed(caller);
        return await counted({ caller, signal }, inProjects, oneOf(subject, { ...params, sort: 'desc' }));
      },
    }),
  ];
  return [
    route({
      ...faceted,
      path: '/search/facets',
      acrossProjects: true,
      summary: 'Count search results by project, language and directory',
      access: { on: 'public' },
      params: Type.Object(ofFacets),
      handler: async ({ params, caller }) => {
        const values = await allowed(caller);
        if (!(isOn[params.scope]?.(values) ?? true)) throw forbidden('Global Search is disabled for this scope');
        return await found.facets(null, kindOf(params.scope), params, caller);
      },
    }),
    route({
      ...faceted,
      path: '/groups/:id/search/facets',
      acrossProjects: true,
      summary: 'Count search results of a group by project, language and directory',
      access: { on: 'group', ability: 'read_group' },
      params: Type.Object({ id: IdOrPath('Id or path of the group'), ...ofFacets }),
      handler: async ({ params, caller, subject }) => {
        await allowed(caller);
        return await found.facets(subject, kindOf(params.scope), params, caller);
      },
    }),
    route({
      ...faceted,
      path: '/projects/:id/search/facets',
      summary: 'Count search results of a project by language and directory',
      access: { on: 'project', ability: 'read_project' },
      params: Type.Object({ id: IdOrPath('Id or path of the project'), ...ofFacets }),
      handler: async ({ params, caller, subject }) => {
        await allowed(caller);
        return await found.facets(subject, kindOf(params.scope), params, caller);
      },
    }),
    route({
      ...common,
      path: '/search',
      acrossProjects: true,
      summary: 'Search everything that you can see',
      access: { on: 'public' },
      params: Type.Object({ scope: scoped([...everywhere, ...inRepositories]), ...manyFilters }),
      handler: async (context) => {
        const { params, caller } = context;
        const { scope } = params;
        const values = await allowed(caller);
        if (!(isOn[scope]?.(values) ?? true)) throw forbidden('Global Search is disabled for this scope');
        const wanted = wantedOf(params);
        if (isOfFiles(scope))
          return await inFiles(found.manyFiles(null, kindOf(scope), wanted, context), context.header);
        if (scope === 'commits') return await advanced(found.manyCommits(null, wanted, context), context.header);
        if (scope === 'snippet_titles') return await basic(found.snippetTitles(wanted, context), context.header);
        const work = many(null, wanted, context)[scope];
        return await basic(work(), context.header);
      },
    }),
    ...inGroup,
    ...inProject,
    ...countRoutes,
  ];
}
