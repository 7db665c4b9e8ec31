/** The repository of a wiki: where it lies, made when somebody first writes, what follows from writes, its size. */
import { randomBytes } from 'node:crypto';
import * as git from '@millrace/git';
import Type from 'typebox';
import type { Subject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Wiki } from '../../../kernel/db/rows.ts';
import { recordFact, wikiPageFacts } from '../../../kernel/events/index.ts';
import { addJob, defineTask, unlessGone } from '../../../kernel/queue/index.ts';
import { knownSha, type OpenRepository } from '../reading/git-reader.ts';
import { firstBranch } from '../writes/project-settling.ts';
import type { RefChange } from '../writes/protection.ts';
import type { Settle } from '../writes/write-path.ts';
import { settledAsApplied } from '../writes/writes.queries.ts';
import { pageAt, titleOf } from './pages.ts';
import {
  bumpWiki,
  findWiki,
  findWikiById,
  insertWiki,
  recordPage,
  recordWikiSize,
  renamePage,
  setWikiBranch,
} from './wikis.queries.ts';

/** A wiki with the project or group that it is about. */
export interface WikiSubject {
  readonly wiki: Wiki;
  readonly place: Subject;
}

/** After a write: others that follow at once are measured with it. */
const patience = 2_000;
const measureTask = { name: 'repository.measure_wiki', maxAttempts: 3 };
/** Of one push; who brings a whole history is not told of page by page. */
const mostEvents = 100;

type What = 'created' | 'updated' | 'destroyed';

const hashedPath = (): string => {
  const hash = randomBytes(32).toString('hex');
  return `@hashed/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}.wiki.git`;
};

export function wikiRepositories(deps: {
  readonly db: Db;
  readonly open: OpenRepository;
  /** Storage of wikis of groups; those of projects lie beside their repository. */
  readonly defaultStorage: string;
  readonly firstBranchName: () => Promise<string>;
  /** A wiki has new pages. */
  readonly written: (tx: Db, wiki: Pick<Wiki, 'project_id' | 'namespace_id'>) => Promise<void>;
}) {
  const { db, open } = deps;

  /** The wiki of a place, made when there is none. */
  async function ensure(place: Subject): Promise<WikiSubject> {
    let wiki = await findWiki(db, place);
    if (!wiki) {
      await insertWiki(db, place, {
        repository_storage: place.kind === 'project' ? place.project.repository_storage : deps.defaultStorage,
        repository_path:
          place.kind === 'project' ? place.project.repository_path.replace(/(\.git)?$/, '.wiki.git') : hashedPath(),
        default_branch: await deps.firstBranchName(),
      });
      wiki = await findWiki(db, place);
    }
    if (!wiki) throw new Error('a wiki was not kept');
    // Whoever made the row may have ended before the repository.
    if (wiki.refs_generation === 0 && !(await git.repositoryExists(open(wiki).path))) {
      const made = git.initRepository(open(wiki).path, { defaultBranch: wiki.default_branch ?? 'main' });
      await made.catch((error: unknown) => {
        if (!git.isGitError(error, 'exists')) throw error;
      });
    }
    return { wiki, place };
  }

  /** The newest commit of the default branch; null for a wiki without pages. */
  async function head(wiki: Wiki): Promise<git.Sha | null> {
    const ref = wiki.default_branch === null || wiki.refs_generation === 0 ? null : git.branchRef(wiki.default_branch);
    return ref === null ? null : await git.readRef(open(wiki), ref);
  }

  /** Keeps what pages are called and tells what happened to them. */
  async function tell(tx: Db, wiki: Wiki, actorId: number | null, change: RefChange): Promise<void> {
    const before = /^0+$/.test(change.before) ? null : knownSha(change.before);
    const files = await git.changedFiles(open(wiki), before, knownSha(change.after));
    let told = 0;
    const say = async (what: What, pageId: number, slug: string) => {
      told += 1;
      if (told > mostEvents) return;
      const { project_id, namespace_id } = wiki;
      const context = { project_id, namespace_id, actor_id: actorId };
      const version = what === 'destroyed' ? change.before : change.after;
      await recordFact(tx, wikiPageFacts[what], { wiki_page_id: pageId, slug, version }, context);
    };
    const keep = (slug: string, removed = false) => recordPage(tx, wiki.id, { slug, title: titleOf(slug), removed });
    for (const file of files) {
      const was = file.newFile ? null : pageAt(file.oldPath);
      const is = file.deletedFile ? null : pageAt(file.newPath);
      if (was && is) {
        const to = { slug: is.slug, title: titleOf(is.slug) };
        const renamed = was.slug === is.slug ? null : await renamePage(tx, wiki.id, was.slug, to);
        if (was.slug !== is.slug && renamed === null) await keep(was.slug, true);
        await say('updated', renamed ?? (await keep(is.slug)), is.slug);
      } else if (is) await say('created', await keep(is.slug), is.slug);
      else if (was) await say('destroyed', await keep(was.slug, true), was.slug);
    }
  }

  const measureSoon = (tx: Db, id: number) =>
    addJob(
      tx,
      measureTask,
      { wiki_id: id },
      { jobKey: `${measureTask.name}:${id}`, jobKeyMode: 'preserve_run_at', runAt: new Date(Date.now() + patience) },
    );

  const settled: Settle = async (tx, { id }, actorId, moved, _details, intents) => {
    if (!(await settledAsApplied(tx, intents))) return null;
    const wiki = await findWikiById(tx, id);
    if (!wiki) throw new Error('the wiki is gone');
    const generation = await bumpWiki(tx, wiki);
    const first = await firstBranch(open(wiki), wiki.default_branch, moved);
    if (first && first.chosen !== wiki.default_branch) await setWikiBranch(tx, id, first.chosen);
    const branch = first?.chosen ?? wiki.default_branch;
    const change = moved.find(({ ref, after }) => ref === `refs/heads/${branch}` && !/^0+$/.test(after));
    if (change) await tell(tx, wiki, actorId, change);
    await measureSoon(tx, id);
    await deps.written(tx, wiki);
    return { generation, headMoved: first?.headMoved ?? false };
  };

  const measure = defineTask(
    measureTask.name,
    Type.Object({ wiki_id: Type.Integer() }),
    async ({ wiki_id }) => {
      const wiki = await findWikiById(db, wiki_id);
      if (!wiki || wiki.refs_generation === 0) return;
      const repo = open(wiki);
      await unlessGone(
        () => findWikiById(db, wiki_id),
        async () => {
          await git.tend(repo);
          const size = await git.diskSize(repo);
          await transaction(db, (tx) => recordWikiSize(tx, wiki_id, size));
        },
      );
    },
    { maxAttempts: measureTask.maxAttempts, timeout: 600_000 },
  );

  return { ensure, head, settled, measureSoon, tasks: [measure] };
}
export type WikiRepositories = ReturnType<typeof wikiRepositories>;
