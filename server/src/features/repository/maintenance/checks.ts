/**
 * Looks once a month whether each repository is whole, where administrators want that, and tells them of those that are not:
 * of projects with their wikis, wikis of groups, and snippets.
 */
import * as git from '@millrace/git';
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { activeAdministrators, mailAddressOf } from '../../identity/index.ts';
import type { RepositoryRow } from '../face.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import { findSnippetRow } from '../snippets/snippets.queries.ts';
import { findWikiById, findWikiOf } from '../wikis/wikis.queries.ts';
import { type CheckedPlace, checksDue, failedChecks, noteTold, recordCheck } from './checks.queries.ts';

/** How long one run takes on repositories; the rest has its turn in the next one. */
const longestRun = 45 * 60_000;
const batch = 50;
/** Lines of a report that are kept. */
const keptProblems = 20;
/** Repositories that one mail names. */
const named = 50;

export interface CheckDependencies {
  readonly db: Db;
  readonly open: OpenRepository;
  readonly project: (db: Db, id: number) => Promise<Project | null>;
  readonly settings: Settings;
  readonly mail: Mail;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}

export function repositoryChecks(deps: CheckDependencies): {
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
} {
  const { db, open } = deps;

  async function problemsOf(repository: RepositoryRow): Promise<readonly string[] | null> {
    try {
      const { healthy, problems } = await git.fsck(open(repository));
      return healthy ? [] : problems.slice(0, keptProblems);
    } catch (error) {
      // It has its turn in the next run.
      if (git.isGitError(error, 'busy', 'aborted')) return null;
      return [`git fsck did not come to its end: ${error instanceof Error ? error.message : error}`.slice(0, 1000)];
    }
  }

  async function problemsOfProject(id: number): Promise<readonly string[] | null> {
    const project = await deps.project(db, id);
    const problems = project && (await problemsOf(project));
    if (!problems) return null;
    const wiki = await findWikiOf(db, { project_id: id, namespace_id: null });
    const ofWiki = wiki ? await problemsOf(wiki) : [];
    return ofWiki && [...problems, ...ofWiki.map((problem) => `wiki: ${problem}`)];
  }

  async function check(place: CheckedPlace): Promise<void> {
    const { kind, id } = place;
    const other =
      kind === 'wiki' ? await findWikiById(db, id) : kind === 'snippet' ? await findSnippetRow(db, id) : null;
    const problems = kind === 'project' ? await problemsOfProject(id) : other && (await problemsOf(other));
    if (problems) await recordCheck(db, place, problems.slice(0, keptProblems));
  }

  const hourly = defineTask(
    'repository.check_all',
    Type.Object({}),
    async (_payload, { signal }) => {
      if (!(await deps.settings.read()).repository_checks_enabled) return;
      const until = Date.now() + longestRun;
      // Each is checked once in a run, whatever the clock says.
      const seen = new Set<string>();
      const keyOf = ({ kind, id }: CheckedPlace) => `${kind} ${id}`;
      for (;;) {
        const due = (await checksDue(db, batch)).filter((place) => !seen.has(keyOf(place)));
        if (due.length === 0) return;
        for (const place of due) {
          if (Date.now() >= until || signal.aborted) return;
          seen.add(keyOf(place));
          await check(place);
        }
      }
    },
    { timeout: 2 * longestRun },
  );

  const weekly = defineTask('repository.tell_checks', Type.Object({}), async () => {
    if (!(await deps.settings.read()).repository_checks_enabled) return;
    const failed = await failedChecks(db, named, true);
    if (failed.length === 0) return;
    await transaction(db, async (tx) => {
      const readers = (await activeAdministrators(tx)).flatMap((user) => mailAddressOf(user) ?? []);
      for (const to of readers)
        await deps.mail.send(tx, {
          to,
          subject: `Repository checks: ${failed.length === 1 ? '1 repository has' : `${failed.length} repositories have`} problems`,
          paragraphs: [
            'git fsck found problems, or did not come to its end. Restore what is damaged from a backup or a clone.',
          ],
          details: failed.map(({ path, problem }) => [path, problem] as const),
          action: { label: 'Open the overview', url: `${deps.externalUrl}/admin` },
        });
      await noteTold(
        tx,
        failed.map(({ id }) => id),
      );
    });
  });

  return {
    tasks: [hourly, weekly],
    cron: [
      { schedule: '47 * * * *', task: hourly.name },
      { schedule: '0 6 * * 1', task: weekly.name },
    ],
  };
}
