/** Wikis in archives: the whole repository as one file, and the way back. Nobody is told of pages that came so. */
import type { Readable } from 'node:stream';
import * as git from '@millrace/git';
import type { Subject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Wiki } from '../../../kernel/db/rows.ts';
import { branchOf, repositoryBundles, type UnbundleOptions } from '../bundles/bundles.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';
import { pageAt, titleOf } from './pages.ts';
import type { WikiRepositories, WikiSubject } from './wiki.ts';
import { bumpWiki, findWiki, recordPages, removeWiki, setWikiBranch } from './wikis.queries.ts';

/** More pages than that are found by their files only. */
const mostPages = 100_000;
/** Bytes of the slug of a page that is kept: an index takes no longer ones. */
const longestSlug = 2000;
/** Pages that are kept together. */
const together = 1000;

type WikiUnbundleOptions = UnbundleOptions & { readonly branch: string | null };

export function wikiBundles(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly shared: git.Git;
  readonly repositories: WikiRepositories;
  readonly exclusively: WritePath<WikiSubject>['exclusively'];
}) {
  const { db, open, repositories } = deps;
  const bundles = repositoryBundles({
    ...deps,
    moved: async (id) => void (await bumpWiki(db, { id, project_id: null })),
  });

  /** Keeps what the pages are called. */
  async function keepPages(wiki: Wiki): Promise<void> {
    const head = await repositories.head(wiki);
    if (head === null) return;
    // Two files may be one page: `a.md` and `a.org`.
    const slugs = new Set<string>();
    for await (const { path, type } of git.walkTree(open(wiki), head)) {
      const page = type === 'blob' ? pageAt(path) : null;
      if (page && Buffer.byteLength(page.slug) <= longestSlug) slugs.add(page.slug);
      if (slugs.size >= mostPages) break;
    }
    await transaction(db, async (tx) => {
      const pages = [...slugs].map((slug) => ({ slug, title: titleOf(slug) }));
      for (let at = 0; at < pages.length; at += together)
        await recordPages(tx, wiki.id, pages.slice(at, at + together));
      await repositories.measureSoon(tx, wiki.id);
    });
  }

  async function filled(
    subject: Subject,
    bundle: git.Bundle,
    { branch: told, ...options }: WikiUnbundleOptions,
  ): Promise<void> {
    const { wiki } = await repositories.ensure(subject);
    const branch = branchOf(bundle, [told, wiki.default_branch]);
    if (branch === null) return;
    if (branch !== wiki.default_branch) await setWikiBranch(db, wiki.id, branch);
    await bundles.filled({ ...wiki, default_branch: branch }, bundle, options);
    const found = await findWiki(db, subject);
    if (found) await keepPages(found);
  }

  return {
    /** Null where nobody has written to the wiki. */
    async bundle(subject: Subject, signal: AbortSignal): Promise<{ bytes: Readable; branch: string | null } | null> {
      const wiki = await findWiki(db, subject);
      const bytes = wiki && wiki.refs_generation > 0 ? await bundles.bundle(wiki, signal) : null;
      return wiki && bytes && { bytes, branch: wiki.default_branch };
    },
    /** Whether somebody has written to the wiki. */
    async written(subject: Subject): Promise<boolean> {
      return ((await findWiki(db, subject))?.refs_generation ?? 0) > 0;
    },
    /** Null where nobody has written to the wiki. */
    async snapshot(subject: Subject): Promise<git.Snapshot | null> {
      const wiki = await findWiki(db, subject);
      return wiki && wiki.refs_generation > 0 ? await bundles.snapshot(wiki) : null;
    },
    /** Takes away what an interrupted import left. */
    async emptied(subject: Subject): Promise<void> {
      const wiki = await findWiki(db, subject);
      if (!wiki) return;
      await git.removeRepository(deps.shared, open(wiki).path);
      await removeWiki(db, wiki.id);
    },
    /** Fills a wiki that has nothing. Throws a GitError for what is no bundle, too large, or not whole. */
    async unbundled(subject: Subject, source: AsyncIterable<Buffer>, options: WikiUnbundleOptions): Promise<void> {
      await filled(subject, await git.readBundle(source), options);
    },
    /** The same with what another server offers and sends. */
    filled,
  };
}
