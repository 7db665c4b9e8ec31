/** Wikis: their repositories, pages and routes, and what other parts need of them. */
import type * as git from '@millrace/git';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Wiki } from '../../../kernel/db/rows.ts';
import type { Markdown } from '../../../kernel/markdown/index.ts';
import type { Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { pushCounts, pushLimit } from '../limits/limits.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import type { Negotiation } from '../transfer/receive.ts';
import { transfer } from '../transfer/transfer.ts';
import { type WritePathDependencies, writePath } from '../writes/write-path.ts';
import { writtenCheck } from '../writes/written-check.ts';
import { readsWiki, seesPlace, wikiCheck, writesWiki } from './access.ts';
import { wikiBundles } from './bundles.ts';
import { type PageFormat, titleOf } from './pages.ts';
import { type WikiSubject, wikiRepositories } from './wiki.ts';
import { findWiki, findWikiById, setWikiBranch, wikisBelow } from './wikis.queries.ts';
import { wikiRoutes } from './wikis.routes.ts';
import { wikiService } from './wikis.service.ts';

export { findWiki, findWikiOf } from './wikis.queries.ts';

export interface WikiDependencies extends Pick<WritePathDependencies<WikiSubject>, 'lockDb' | 'log' | 'stamp'> {
  readonly db: Db;
  readonly externalUrl: string;
  readonly open: OpenRepository;
  readonly reader: RepositoryReader;
  readonly shared: git.Git;
  readonly settings: Settings;
  readonly negotiation: Negotiation;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly defaultStorage: string;
  /** A wiki has new pages. */
  readonly written: (tx: Db, wiki: Pick<Wiki, 'project_id' | 'namespace_id'>) => Promise<void>;
}

export interface WikiPageAt {
  readonly slug: string;
  readonly title: string;
  readonly format: PageFormat;
  readonly content: string;
  /** The commit, and its message. */
  readonly version: string;
  readonly message: string;
}

export function wikis(deps: WikiDependencies) {
  const { db, open } = deps;
  const repositories = wikiRepositories({
    ...deps,
    firstBranchName: async () => (await deps.settings.read()).default_branch_name || 'main',
  });
  const repositoryOf = ({ wiki }: WikiSubject) => wiki;
  const writes = writePath<WikiSubject>({
    ...deps,
    owner: 'wiki_id',
    repositoryOf,
    repository: findWikiById,
    settled: repositories.settled,
    headMoved: (tx, { id }, branch) => setWikiBranch(tx, id, branch),
    checks: [wikiCheck, writtenCheck],
  });
  const tasks: readonly Task[] = repositories.tasks;
  const service = wikiService({ ...deps, repositories, writes });
  return {
    routes: wikiRoutes({ ...deps, wikis: service }),
    /** A page as it was at a commit of the wiki, or as it is; null where that cannot be read any more. */
    pageAt: async (place: Subject, slug: string, version?: string): Promise<WikiPageAt | null> => {
      const found = await service.page(place, slug, version).catch(() => null);
      if (found === null) return null;
      const { wiki, page, at } = found;
      const [content, { message }] = await Promise.all([service.content(wiki, page), deps.reader.commit(wiki, at)]);
      const { slug: known, format } = page;
      return { slug: known, title: titleOf(known), format, content, message: message.trimEnd(), version: at };
    },
    tasks,
    sweep: writes.sweep,
    bundles: wikiBundles({ ...deps, repositories, exclusively: writes.exclusively }),
    /** Where the wikis of what is removed lie. */
    below: (handle: Db, of: Parameters<typeof wikisBelow>[1]) => wikisBelow(handle, of),
    git: {
      sees: seesPlace,
      may: (caller: Caller, access: 'read' | 'write', place: Subject) =>
        access === 'read' ? readsWiki(caller, place) : writesWiki(caller, place),
      /** The wiki that git asks for; null where there is none yet and the caller makes none. */
      async open(caller: Caller, place: Subject): Promise<WikiSubject | null> {
        if (writesWiki(caller, place)) return await repositories.ensure(place);
        const wiki = await findWiki(db, place);
        return wiki && wiki.refs_generation > 0 ? { wiki, place } : null;
      },
      transport: transfer<WikiSubject>({
        open,
        repositoryOf,
        writes,
        negotiation: deps.negotiation,
        counts: () => pushCounts(deps.settings),
        limit: () => pushLimit(deps.settings),
        fetched: () => undefined,
        archived: () => undefined,
        afterwards: async () => [],
      }),
    },
  };
}
export type WikiGit = ReturnType<typeof wikis>['git'];
