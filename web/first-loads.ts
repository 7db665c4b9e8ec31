/**
 * What pages begin with, by their addresses. The build leaves it beside the document, and the server names it with the
 * document: the browser fetches a page's scripts and data while it still loads the one that would ask for them. An
 * address that is not here opens as well, a round trip or two later.
 */
import type { Plugin } from 'vite';
import { oldPages } from './src/lib/old-pages.ts';

interface FirstLoad {
  /** What stands before the path: a project's address, a group's, or nothing. */
  readonly of: 'project' | 'group' | 'instance';
  /** Of the rest of the address, without `/-/`, as a regular expression. */
  readonly path: string;
  /** Modules below `src/features`, without their extension. */
  readonly pages: readonly string[];
  /**
   * What the page asks of the API, below its project or group, exactly as it asks; `$1` is what the expression found. Those
   * that begin with a slash are below nothing, and only asked by who is signed in. Only for addresses without a query.
   */
  readonly asks?: readonly string[];
}

const project = (path: string, pages: readonly string[], asks?: readonly string[]): FirstLoad => ({
  ...{ of: 'project', path, pages },
  ...(asks ? { asks } : {}),
});
const group = (path: string, pages: readonly string[], asks?: readonly string[]): FirstLoad => ({
  ...{ of: 'group', path, pages },
  ...(asks ? { asks } : {}),
});
const instance = (path: string, pages: readonly string[], asks?: readonly string[]): FirstLoad => ({
  ...{ of: 'instance', path, pages },
  ...(asks ? { asks } : {}),
});

const mergeRequest = 'merge_requests/$1?include_rebase_in_progress=true&render_html=true&with_counts=true';
const requestsOf =
  'merge_requests?page=1&per_page=20&with_labels_details=true&with_review_status=true&state=opened&order_by=created_at&sort=desc';
const issuesOf =
  'issues?scope=all&order_by=created_at&sort=desc&page=1&per_page=20&with_labels_details=true&state=opened';
const membersOf = 'members/all?page=1&per_page=50&with_source=true&sort=name_asc';
const discussions = 'discussions?per_page=50&page=1&render_html=true';

const boards = 'boards?per_page=100';
const milestones = 'milestones?page=1&per_page=20&include_ancestors=true&with_counts=true&state=active';

const all: readonly FirstLoad[] = [
  project('', ['projects/Arriving']),
  // A name with a slash may be that of a branch, or of a branch and a folder.
  project(
    'tree/([\\w.-]+)',
    ['files/TreePage'],
    [
      'repository/tree?ref=$1&path=&per_page=100&page=1',
      'repository/commits?ref_name=$1&page=1&per_page=1&with_pipelines=true',
    ],
  ),
  project('tree/.+', ['files/TreePage']),
  project('blob/.+', ['files/BlobPage']),
  project('blame/.+', ['files/BlamePage']),
  project('edit/.+', ['files/EditPage']),
  project('new/.+', ['files/NewFilePage']),
  project(
    'commits/([\\w.-]+)',
    ['commits/CommitsPage'],
    ['repository/commits?ref_name=$1&page=1&per_page=20&with_pipelines=true'],
  ),
  project('commits/.+', ['commits/CommitsPage']),
  project('commit/[0-9a-f]+', ['commits/CommitPage']),
  project(
    'branches',
    ['branches/BranchesPage'],
    ['repository/branches?sort=updated_desc&with_status=true&page=1&per_page=50'],
  ),
  project('tags', ['tags/TagsPage'], ['repository/tags?page=1&per_page=20']),
  project('compare/.+', ['compare/ComparePage']),
  project('releases', ['releases/ReleasesRoute'], ['releases?page=1&per_page=20&include_html_description=true']),
  project('releases/.*', ['releases/ReleasesRoute']),
  project('issues', ['issues/IssuesPage'], [issuesOf]),
  project('issues/new', ['issues/NewIssuePage']),
  project(
    'issues/(\\d+)',
    ['issues/IssuePage'],
    ['issues/$1?render_html=true&with_moves=true', `issues/$1/${discussions}`],
  ),
  project('boards(?:/\\d+)?', ['boards/BoardPage'], [boards]),
  project('milestones', ['milestones/MilestonesPage'], [milestones]),
  project('merge_requests', ['merge-requests/MergeRequestsPage'], [requestsOf]),
  project('merge_requests/new', ['merge-requests/NewMergeRequestPage']),
  project(
    'merge_requests/(\\d+)',
    ['merge-requests/MergeRequestPage', 'merge-requests/MergeRequestOverview'],
    [mergeRequest, `merge_requests/$1/${discussions}`],
  ),
  project(
    'merge_requests/(\\d+)/diffs',
    ['merge-requests/MergeRequestPage', 'merge-requests/changes/ChangesTab'],
    [mergeRequest, 'merge_requests/$1/diffs?per_page=100&page=1', '/user/preferences'],
  ),
  project(
    'merge_requests/(\\d+)/(commits|pipelines)',
    ['merge-requests/MergeRequestPage', 'merge-requests/MergeRequestTabs'],
    [mergeRequest],
  ),
  project('pipelines', ['pipelines/PipelinesPage'], ['pipelines?page=1&per_page=20&with_details=true']),
  project('pipelines/(\\d+)', ['pipelines/PipelinePage'], ['pipelines/$1', 'pipelines/$1/jobs?per_page=100']),
  project('jobs', ['jobs/JobsPage'], ['jobs?page=1&per_page=20&with_waiting=true']),
  project('jobs/(\\d+)', ['jobs/JobPage'], ['jobs/$1']),
  project('ci/editor', ['lint/LintPage']),
  project('environments', ['environments/EnvironmentsPage'], ['environments?page=1&per_page=20&states=available']),
  project('packages', ['packages/PackagesPage']),
  project('wikis', ['wikis/ProjectWikiPage'], ['wikis']),
  project('wikis/.*', ['wikis/ProjectWikiPage']),
  project('snippets', ['snippets/SnippetsRoute'], ['snippets?page=1&per_page=20']),
  project('snippets/.*', ['snippets/SnippetsRoute']),
  project('activity', ['activity/ActivityPage'], ['events?page=1&per_page=20']),
  project('project_members', ['members/MembersPage'], [membersOf]),
  project('settings', ['settings/SettingsPage']),
  group(
    '',
    ['groups/GroupPage'],
    [
      'subgroups?order_by=name&sort=asc&all_available=true&per_page=100',
      'projects?per_page=100&order_by=name&sort=asc&with_shared=true',
    ],
  ),
  group('issues', ['groups/GroupIssuesPage'], [issuesOf]),
  group('merge_requests', ['groups/GroupMergeRequestsPage'], [requestsOf]),
  group('pipelines', ['pipelines/GroupPipelinesPage'], ['pipelines?page=1&per_page=20']),
  group('boards(?:/\\d+)?', ['boards/BoardPage'], [boards]),
  group('epic_boards(?:/\\d+)?', ['boards/BoardPage']),
  group('epics', ['epics/EpicsPage'], ['epics?page=1&per_page=100&with_labels_details=true&state=opened']),
  group(
    'epics/(\\d+)',
    ['epics/EpicPage'],
    ['epics/$1', 'epics/$1/epics?per_page=100', 'epics/$1/issues?per_page=100', `epics/$1/${discussions}`],
  ),
  group('milestones', ['milestones/MilestonesPage'], [milestones]),
  group('wikis(?:/.*)?', ['wikis/GroupWikiPage']),
  group('group_members', ['members/GroupMembersPage'], [membersOf]),
  group('settings', ['groups/GroupSettingsPage']),
  instance(
    '',
    ['projects/ProjectsPage'],
    ['/user_counts', '/projects?order_by=last_activity_at&sort=desc&per_page=20&page=1&membership=true&active=true'],
  ),
  instance('dashboard/work', ['work/WorkPage']),
  instance('dashboard/todos', ['work/TodosPage'], ['/user_counts', '/todos?state=pending&per_page=20&page=1']),
  instance('dashboard/groups', ['groups/OwnGroupsPage']),
  instance('users/sign_in', ['session/SignInPage']),
  instance(
    'projects/new',
    ['projects/NewProjectPage'],
    ['/user_counts', '/namespaces?per_page=100', '/templates/projects?per_page=100'],
  ),
  instance('search', ['search/SearchPage']),
  instance('admin', ['admin/AdminLayout', 'admin/OverviewPage']),
];

/** Leaves `first-loads.json` beside the document: the files of every page, and what it asks. */
export const firstLoads = (): Plugin => ({
  name: 'first-loads',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const closure = (names: readonly string[]): string[] => {
      const found = new Set<string>();
      const add = (name: string): void => {
        if (found.has(name)) return;
        found.add(name);
        const chunk = bundle[name];
        if (chunk?.type === 'chunk') for (const each of chunk.imports) add(each);
      };
      for (const name of names) add(name);
      return [...found];
    };
    const fileOf = (page: string): string => {
      const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/web/src/features/${page}.tsx`));
      if (!chunk) this.error(`${page} begins no file of its own`);
      return chunk.fileName;
    };
    const first = closure(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
    const styles = Object.keys(bundle).filter((name) => name.endsWith('.css'));
    const pages = all.map(({ pages: begun, ...page }) => ({
      ...page,
      files: closure(begun.map(fileOf)).filter((name) => !first.includes(name)),
    }));
    const source = JSON.stringify({ scripts: first, styles, old: oldPages, pages });
    this.emitFile({ type: 'asset', fileName: 'first-loads.json', source });
  },
});
