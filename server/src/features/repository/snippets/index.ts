/** Snippets: their rows, repositories and routes, and what other parts need of them. */
import type * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Noteables } from '../../collaboration/index.ts';
import { pushCounts, pushLimit } from '../limits/limits.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { Negotiation } from '../transfer/receive.ts';
import { transfer } from '../transfer/transfer.ts';
import { type WritePathDependencies, writePath } from '../writes/write-path.ts';
import { writtenCheck } from '../writes/written-check.ts';
import { type SnippetSubject, seesSnippet, snippetCheck, writesSnippet } from './access.ts';
import { snippetBundles } from './bundles.ts';
import { snippetLists } from './listing.ts';
import { snippetNoteable } from './noteable.ts';
import { snippetRepositories } from './repositories.ts';
import { findSnippet, findSnippetRow, setSnippetBranch, snippetsOf } from './snippets.queries.ts';
import { type SnippetRoutesDependencies, snippetRoutes } from './snippets.routes.ts';
import { snippetService } from './snippets.service.ts';

export { rewriteSnippetUrl } from './addresses.ts';
export { snippetLinesOf } from './bundles.ts';
export type { SnippetLists } from './listing.ts';
export type { NewSnippet } from './snippets.service.ts';

export interface SnippetDependencies
  extends Pick<WritePathDependencies<SnippetSubject>, 'lockDb' | 'log' | 'stamp'>,
    Omit<SnippetRoutesDependencies, 'snippets'> {
  readonly open: OpenRepository;
  readonly shared: git.Git;
  readonly settings: Settings;
  readonly negotiation: Negotiation;
  readonly defaultStorage: string;
  readonly noteables: Noteables;
}

export function snippets(deps: SnippetDependencies) {
  const { db, open, settings } = deps;
  const repositories = snippetRepositories(deps);
  const repositoryOf = ({ snippet }: SnippetSubject) => snippet;
  const writes = writePath<SnippetSubject>({
    ...deps,
    owner: 'snippet_id',
    repositoryOf,
    repository: findSnippetRow,
    settled: repositories.settled,
    headMoved: (tx, { id }, branch) => setSnippetBranch(tx, id, branch),
    checks: [snippetCheck(async () => (await settings.read()).snippet_size_limit), writtenCheck],
  });
  const service = snippetService({ ...deps, writes });
  return {
    routes: [...snippetRoutes({ ...deps, snippets: service }), ...deps.noteables.register(snippetNoteable(db))],
    tasks: repositories.tasks,
    sweep: async () => {
      await writes.sweep();
      await service.sweep();
    },
    /** Where the snippets of a project lie. */
    of: (handle: Db, projectId: number) => snippetsOf(handle, projectId),
    lists: snippetLists(deps),
    create: service.create,
    bundles: snippetBundles({
      ...{ ...deps, service },
      ...{ exclusively: writes.exclusively, measureSoon: repositories.measureSoon },
    }),
    contributions: service.contributions,
    git: {
      /** The snippet that git asks for; null where there is none for the caller. */
      async find(caller: Caller, place: ProjectSubject | null, id: number): Promise<SnippetSubject | null> {
        const snippet = await findSnippet(db, id);
        if (!snippet || snippet.project_id !== (place?.project.id ?? null)) return null;
        return seesSnippet(caller, { snippet, place }) ? { snippet, place } : null;
      },
      writes: writesSnippet,
      transport: transfer<SnippetSubject>({
        open,
        repositoryOf,
        writes,
        negotiation: deps.negotiation,
        counts: () => pushCounts(settings),
        limit: () => pushLimit(settings),
        fetched: () => undefined,
        archived: () => undefined,
        afterwards: async () => [],
      }),
    },
  };
}
export type SnippetGit = ReturnType<typeof snippets>['git'];
