/** Where the palette leads: recent places, projects, groups, people, issues and merge requests, files, code, pages and actions. */
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { wholeRequests } from '../../lib/merge-requests.ts';
import { queries } from '../../lib/queries.ts';
import { currentSession } from '../../lib/session.ts';
import { fromSegment } from '../../lib/urls.ts';
import { level, levelIn } from '../projects/useProject.ts';

export interface Target {
  readonly href: string;
  readonly label: string;
  /** What distinguishes it from others of the same name. */
  readonly hint?: string;
}
export interface TargetGroup {
  readonly title: string;
  readonly targets: readonly Target[];
}

const pages: readonly Target[] = [
  { href: '/', label: 'Projects' },
  { href: '/dashboard/work', label: 'Your work' },
  { href: '/dashboard/todos', label: 'To-dos' },
  { href: '/dashboard/groups', label: 'Groups' },
  { href: '/explore/projects/topics', label: 'Topics' },
  { href: '/explore/catalog', label: 'CI/CD catalog' },
  { href: '/-/snippets', label: 'Snippets' },
  { href: '/search', label: 'Search' },
  { href: '/-/user_settings/personal_access_tokens', label: 'Access tokens' },
  { href: '/-/user_settings/applications', label: 'Applications' },
  { href: '/-/user_settings/ssh_keys', label: 'SSH keys' },
  { href: '/-/user_settings/profile', label: 'Settings' },
  { href: '/help', label: 'Help' },
  { href: '/api/docs', label: 'API reference' },
];
const actions: readonly Target[] = [
  { href: '/projects/new', label: 'New project' },
  { href: '/groups/new', label: 'New group' },
  { href: '/-/snippets/new', label: 'New snippet' },
];
/** Pages and actions of the project that is shown. */
const projectPages = (path: string): readonly Target[] =>
  (
    [
      ['', 'Code'],
      ['/-/find_file/HEAD', 'Find file'],
      ['/-/branches', 'Branches'],
      ['/-/tags', 'Tags'],
      ['/-/commits/HEAD', 'Commits'],
      ['/-/graphs/HEAD', 'Contributors'],
      ['/-/forks', 'Forks'],
      ['/-/starrers', 'Stars'],
      ['/-/merge_requests', 'Merge requests'],
      ['/-/merge_requests/new', 'New merge request'],
      ['/-/issues', 'Issues'],
      ['/-/issues/new', 'New issue'],
      ['/-/pipelines', 'Pipelines'],
      ['/-/pipelines/new', 'Run pipeline'],
      ['/-/jobs', 'Jobs'],
      ['/-/ci/editor', 'Pipeline editor'],
      ['/-/environments', 'Environments'],
      ['/-/security/vulnerability_report', 'Vulnerabilities'],
      ['/-/releases', 'Releases'],
      ['/-/project_members', 'Members'],
      ['/-/settings', 'Project settings'],
    ] as const
  ).map(([below, label]) => ({ href: `/${path}${below}`, label, hint: path }));

/** Parts of the project's settings, one's account and the administration, each for those who may open them. */
async function settings(project: string | undefined): Promise<readonly Target[]> {
  const { user, admin } = await currentSession();
  const shown = project === undefined ? undefined : queries.getQueryData(data.project(project).queryKey);
  const [account, administration, ofProject] = await Promise.all([
    import('../account/AccountLayout.tsx'),
    admin ? import('../admin/AdminLayout.tsx') : null,
    shown && levelIn(shown, user) >= level.maintainer ? import('../settings/SettingsPage.tsx') : null,
  ]);
  const named = (list: readonly (readonly [string, string])[], hint: string): readonly Target[] =>
    list.map(([href, label]) => ({ href, label, hint }));
  return [
    ...named(ofProject?.addresses(`/${project}`) ?? [], 'Project settings'),
    ...named(account.pages, 'Your account'),
    ...named(administration?.pages ?? [], 'Administration'),
  ];
}

const recentKey = 'millrace-recent-places';
const mostRecent = 8;

/** The places that were opened from here last, newest first. */
function recentPlaces(): readonly Target[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(recentKey) ?? '[]');
    return Array.isArray(stored)
      ? stored.filter(
          (each): each is Target =>
            typeof each?.href === 'string' && /^\/(?![/\\])/.test(each.href) && typeof each.label === 'string',
        )
      : [];
  } catch {
    return [];
  }
}

export function rememberPlace(target: Target): void {
  const others = recentPlaces().filter(({ href }) => href !== target.href);
  localStorage.setItem(recentKey, JSON.stringify([target, ...others].slice(0, mostRecent)));
}

/** What is left of a search that failed or is not allowed is nothing: the others are still of use. */
const unlessRefused = <T>(call: Promise<T[]>): Promise<T[]> => call.catch(() => []);

type Numbered = { readonly title: string; readonly web_url: string; readonly references: { readonly full: string } };
const numbered = ({ title, web_url, references }: Numbered): Target => ({
  ...{ href: new URL(web_url).pathname, label: title, hint: references.full },
});

/** `!12`, `#12` or `12` name what has the number in the project that is shown; other texts are looked for in titles. */
async function byTitle(text: string, project: string | undefined) {
  const number = /^[!#]?(\d+)$/.exec(text)?.[1];
  const [issues, requests] = [!text.startsWith('!'), !text.startsWith('#')];
  if (number !== undefined && project !== undefined) {
    const params = { path: { id: project }, query: { 'iids[]': [Number(number)] } };
    return await Promise.all([
      issues ? unlessRefused(unwrap(client.GET('/projects/{id}/issues', { params }))) : [],
      requests
        ? unlessRefused(unwrap(client.GET('/projects/{id}/merge_requests', { params })).then(wholeRequests))
        : [],
    ]);
  }
  const query = { search: text, in: 'title', scope: 'all', per_page: 5 } as const;
  return await Promise.all([
    unlessRefused(unwrap(client.GET('/issues', { params: { query } }))),
    unlessRefused(unwrap(client.GET('/merge_requests', { params: { query } })).then(wholeRequests)),
  ]);
}

const mostPages = 12;
const mostFiles = 6;
const mostLines = 5;

/** Files of the project's default branch by a few letters of their path. */
async function filesNamed(text: string, project: string): Promise<Target[]> {
  const [{ bestPaths }, { allPaths }, { encodedPath }] = await Promise.all([
    import('../../lib/fuzzy.ts'),
    import('../../lib/repository.ts'),
    import('../../lib/search.ts'),
  ]);
  const paths = await queries.fetchQuery(allPaths(project, 'HEAD'));
  return bestPaths(paths, text, mostFiles).map((path) => ({
    href: `/${project}/-/blob/HEAD/${encodedPath(path)}`,
    label: path,
  }));
}

/** Lines of the project's code that hold the text. */
async function linesWith(text: string, project: string): Promise<Target[]> {
  const query = { scope: 'blobs', search: text, per_page: mostLines, num_context_lines: 0 } as const;
  const [{ rowOf }, found] = await Promise.all([
    import('../../lib/search.ts'),
    unwrap(client.GET('/projects/{id}/search', { params: { path: { id: project }, query } })),
  ]);
  return found.map((blob) => {
    const { href, title, code } = rowOf('blobs', blob, text, project);
    return {
      href,
      label: code?.text.trim().slice(0, 120) || title,
      hint: `${title}${href.slice(href.lastIndexOf('#L')).replace('#L', ':')}`,
    };
  });
}

/** What matches, in groups; without a text the recent places and what can be done. */
export async function findTargets(text: string, project: string | undefined): Promise<readonly TargetGroup[]> {
  const wanted = text.trim();
  const known = [...(project === undefined ? [] : projectPages(project)), ...pages];
  if (wanted === '')
    return [
      { title: 'Recent', targets: recentPlaces() },
      {
        title: project === undefined ? 'Pages' : 'In this project',
        targets: project === undefined ? pages : known.slice(0, 8),
      },
      { title: 'Actions', targets: actions },
    ];
  const matches = ({ label }: Target) => label.toLowerCase().includes(wanted.toLowerCase());
  const query = { search: wanted, per_page: 6 };
  const long = wanted.length > 1;
  const inProject = long && project !== undefined && !/^[!#]/.test(wanted);
  const [projects, groups, [issues, requests], people, files, lines, more] = await Promise.all([
    unwrap(client.GET('/projects', { params: { query: { ...query, simple: true, search_namespaces: true } } })),
    unwrap(client.GET('/groups', { params: { query } })),
    long ? byTitle(wanted, project) : ([[], []] as const),
    long ? unlessRefused(unwrap(client.GET('/users', { params: { query: { ...query, per_page: 4 } } }))) : [],
    inProject ? unlessRefused(filesNamed(wanted, project)) : [],
    inProject && wanted.length > 2 ? unlessRefused(linesWith(wanted, project)) : [],
    settings(project),
  ]);
  const listed = new Set(known.map(({ href }) => href));
  const others = more.filter(({ href }) => !listed.has(href));
  const search = encodeURIComponent(wanted);
  return [
    {
      title: 'Projects',
      targets: projects.map((each) => ({ href: `/${each.path_with_namespace}`, label: each.name_with_namespace })),
    },
    { title: 'Groups', targets: groups.map((each) => ({ href: `/groups/${each.full_path}`, label: each.full_name })) },
    { title: 'Merge requests', targets: requests.map(numbered) },
    { title: 'Issues', targets: issues.map(numbered) },
    {
      title: 'Users',
      targets: people.map(({ username, name }) => ({ href: `/${username}`, label: name, hint: `@${username}` })),
    },
    { title: 'Files', targets: files },
    { title: 'Code', targets: lines },
    { title: 'Pages and actions', targets: [...known, ...actions, ...others].filter(matches).slice(0, mostPages) },
    {
      title: 'Search',
      targets: [
        ...(project === undefined
          ? []
          : [
              {
                href: `/search?search=${search}&scope=blobs&project_id=${encodeURIComponent(project)}`,
                label: `Search code of this project for “${wanted}”`,
              },
            ]),
        { href: `/search?search=${search}`, label: `Search for “${wanted}”` },
      ],
    },
  ];
}

/** The project that a path of the router is about. */
export function projectOf(pathname: string): string | undefined {
  const inside = /^\/p\/([^/]+)/.exec(pathname)?.[1];
  if (inside !== undefined) return fromSegment(inside);
  // The front of a project has the address of names only, which groups and people have, too: projects have two or more.
  const named = /^\/o\/([^/]+)$/.exec(pathname)?.[1];
  return named?.includes('~') ? fromSegment(named) : undefined;
}
