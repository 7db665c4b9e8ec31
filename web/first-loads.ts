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
   * What the page asks of the API, below its project or group, exactly as it asks; `$1` is what the expression found.
   * Only for addresses without a query.
   */
  readonly asks?: readonly string[];
}

const project = (path: string, pages: readonly string[], asks?: readonly string[]): FirstLoad => ({
  ...{ of: 'project', path, pages },
  ...(asks ? { asks } : {}),
});
const group = (path: string, pages: readonly string[]): FirstLoad => ({ of: 'group', path, pages });
const instance = (path: string, pages: readonly string[]): FirstLoad => ({ of: 'instance', path, pages });

const mergeRequest = 'merge_requests/$1?include_rebase_in_progress=true&render_html=true&with_counts=true';
const requestsOf =
  'merge_requests?page=1&per_page=20&with_labels_details=true&with_review_status=true&state=opened&order_by=created_at&sort=desc';
const discussions = 'discussions?per_page=50&page=1&render_html=true';

const all: readonly FirstLoad[] = [
  project('', ['projects/Arriving']),
  project('tree/.+', ['files/TreePage']),
  project('blob/.+', ['files/BlobPage']),
  project('blame/.+', ['files/BlamePage']),
  project('edit/.+', ['files/EditPage']),
  project('new/.+', ['files/NewFilePage']),
  project('commits/.+', ['commits/CommitsPage']),
  project('commit/[0-9a-f]+', ['commits/CommitPage']),
  project('branches', ['branches/BranchesPage']),
  project('tags', ['tags/TagsPage']),
  project('compare/.+', ['compare/ComparePage']),
  project('releases(?:/.*)?', ['releases/ReleasesRoute']),
  project('issues', ['issues/IssuesPage']),
  project('issues/new', ['issues/NewIssuePage']),
  project('issues/(\\d+)', ['issues/IssuePage'], ['issues/$1?render_html=true', `issues/$1/${discussions}`]),
  project('boards(?:/\\d+)?', ['boards/BoardPage']),
  project('milestones', ['milestones/MilestonesPage']),
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
    [mergeRequest, 'merge_requests/$1/diffs?per_page=100&page=1'],
  ),
  project(
    'merge_requests/(\\d+)/(commits|pipelines)',
    ['merge-requests/MergeRequestPage', 'merge-requests/MergeRequestTabs'],
    [mergeRequest],
  ),
  project('pipelines', ['pipelines/PipelinesPage'], ['pipelines?page=1&per_page=20&with_details=true']),
  project('pipelines/(\\d+)', ['pipelines/PipelinePage'], ['pipelines/$1', 'pipelines/$1/jobs?per_page=100']),
  project('jobs', ['jobs/JobsPage']),
  project('jobs/(\\d+)', ['jobs/JobPage'], ['jobs/$1']),
  project('ci/editor', ['lint/LintPage']),
  project('environments', ['environments/EnvironmentsPage']),
  project('packages', ['packages/PackagesPage']),
  project('wikis(?:/.*)?', ['wikis/ProjectWikiPage']),
  project('snippets(?:/.*)?', ['snippets/SnippetsRoute']),
  project('activity', ['activity/ActivityPage']),
  project('project_members', ['members/MembersPage']),
  project('settings', ['settings/SettingsPage']),
  group('', ['groups/GroupPage']),
  group('issues', ['groups/GroupLists']),
  group('merge_requests', ['groups/GroupLists']),
  group('pipelines', ['pipelines/GroupPipelinesPage']),
  group('boards(?:/\\d+)?', ['boards/BoardPage']),
  group('epic_boards(?:/\\d+)?', ['boards/BoardPage']),
  group('epics', ['epics/EpicsPage']),
  group('epics/\\d+', ['epics/EpicPage']),
  group('milestones', ['milestones/MilestonesPage']),
  group('wikis(?:/.*)?', ['wikis/GroupWikiPage']),
  group('group_members', ['members/GroupMembersPage']),
  group('settings', ['groups/GroupSettingsPage']),
  instance('', ['projects/ProjectsPage']),
  instance('dashboard/work', ['work/WorkPage']),
  instance('dashboard/todos', ['work/TodosPage']),
  instance('dashboard/groups', ['groups/OwnGroupsPage']),
  instance('users/sign_in', ['session/SignInPage']),
  instance('projects/new', ['projects/NewProjectPage']),
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
