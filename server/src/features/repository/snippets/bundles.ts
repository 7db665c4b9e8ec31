/** Snippets of a project in archives: each repository as one file, and the way back. Nobody is told of what came so. */
import type { Readable } from 'node:stream';
import * as git from '@millrace/git';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { ArchivedSnippet } from '../../namespaces/index.ts';
import { branchOf, repositoryBundles, type UnbundleOptions } from '../bundles/bundles.ts';
import { readableSize } from '../limits/sizes.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import type { WritePath } from '../writes/write-path.ts';
import { filesAt, mostFiles, type SnippetSubject } from './access.ts';
import { snippetPath } from './repositories.ts';
import { archivedSnippets, insertSnippet, settleArchivedSnippet } from './snippets.queries.ts';
import type { SnippetService } from './snippets.service.ts';

function lineOf({ snippet, author, award_emoji }: Awaited<ReturnType<typeof archivedSnippets>>[number]) {
  const { title, description, visibility, default_branch: branch, created_at, updated_at } = snippet;
  const line: ArchivedSnippet = { title, description, visibility, branch, author, created_at, updated_at, award_emoji };
  return { id: snippet.id, line };
}

/** What archives say of the snippets of a project, without their repositories. */
export const snippetLinesOf = async (db: Db, projectId: number) =>
  (await archivedSnippets(db, projectId)).map((each) => lineOf(each));

/** What is wrong with a bundle; throws what is wrong with the instance. */
function refused(error: unknown): string {
  if (git.isGitError(error) && ['corrupt', 'limit', 'invalid'].includes(error.code)) return error.message;
  throw error;
}

export function snippetBundles(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly shared: git.Git;
  readonly settings: Pick<Settings, 'read'>;
  readonly exclusively: WritePath<SnippetSubject>['exclusively'];
  readonly measureSoon: (tx: Db, id: number) => Promise<void>;
  readonly service: Pick<SnippetService, 'discard'>;
}) {
  const { db, open, service, settings } = deps;
  const bundles = repositoryBundles({ ...deps, moved: async () => undefined });

  return {
    /** The snippets of a project with their repositories, the oldest first. */
    async *all(
      projectId: number,
      signal: AbortSignal,
    ): AsyncGenerator<{ id: number; line: ArchivedSnippet; bytes: Readable }> {
      for (const each of await archivedSnippets(db, projectId)) {
        const bytes = await bundles.bundle(each.snippet, signal);
        if (bytes) yield { ...lineOf(each), bytes };
      }
    },

    /** Makes a snippet of a line and a bundle, or of what another server offers and sends, and answers its id. Why not, where it is none that could have been pushed here. */
    async take(
      { project }: Pick<ProjectSubject, 'project'>,
      line: ArchivedSnippet,
      author: { readonly id: number; readonly mayRestricted: boolean },
      source: AsyncIterable<Buffer> | git.Bundle,
      options: UnbundleOptions & { readonly size: number },
    ): Promise<{ readonly id: number } | { readonly reason: string }> {
      const { snippet_size_limit: maximum, restricted_visibility_levels: restricted } = await settings.read();
      if (options.size > maximum) return { reason: `is larger than ${readableSize(maximum)} (snippet_size_limit)` };
      const bundle = 'refs' in source ? source : await git.readBundle(source).catch(refused);
      if (typeof bundle === 'string') return { reason: bundle };
      const branch = branchOf(bundle, [line.branch]);
      const refs = bundle.refs.filter(({ ref }) => ref === `refs/heads/${branch}`);
      if (branch === null || refs.length === 0) return { reason: 'has no branch' };
      const closed = restricted.includes(line.visibility) && !author.mayRestricted;
      const snippet = await insertSnippet(db, {
        project_id: project.id,
        author_id: author.id,
        title: line.title,
        description: line.description ?? null,
        visibility: closed ? 'private' : line.visibility,
        user_agent: null,
        ip_address: null,
        repository_storage: project.repository_storage,
        repository_path: snippetPath(),
        default_branch: branch,
      });
      const fill = async (): Promise<string | null> => {
        const repo = open(snippet);
        await git.initRepository(repo.path, { defaultBranch: branch });
        await bundles.filled(snippet, { ...bundle, refs }, options);
        const ref = git.branchRef(branch);
        const head = ref && (await git.readRef(repo, ref));
        const files = head ? await filesAt(repo, head) : [];
        if (files.length === 0 || files.length > mostFiles) return `has not 1 to ${mostFiles} files`;
        const { created_at, updated_at } = line;
        await transaction(db, async (tx) => {
          await settleArchivedSnippet(tx, snippet.id, { files, created_at, updated_at });
          await deps.measureSoon(tx, snippet.id);
        });
        return null;
      };
      try {
        const reason = await fill();
        if (reason === null) return { id: snippet.id };
        await service.discard({ id: snippet.id });
        return { reason };
      } catch (error) {
        await service.discard({ id: snippet.id });
        return { reason: refused(error) };
      }
    },

    /** Takes away what an interrupted import left. */
    emptied: (projectId: number): Promise<void> => service.discard({ projectId }),
  };
}
