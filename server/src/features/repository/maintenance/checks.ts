/** Looks once a month whether each repository is whole, where administrators want that, and tells them of those that are not. */
import * as git from '@millrace/git';
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { activeAdministrators, mailAddressOf } from '../../identity/index.ts';
import type { OpenRepository } from '../reading/git-reader.ts';
import { checksDue, failedChecks, noteTold, recordCheck } from './checks.queries.ts';

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

  async function check(id: number): Promise<void> {
    const project = await deps.project(db, id);
    if (!project) return;
    const found = await git
      .fsck(open(project))
      .catch((error: Error) => ({ healthy: false, problems: [error.message.slice(0, 1000)] }));
    await recordCheck(db, id, found.healthy ? [] : found.problems.slice(0, keptProblems));
  }

  const hourly = defineTask(
    'repository.check_all',
    Type.Object({}),
    async (_payload, { signal }) => {
      if (!(await deps.settings.read()).repository_checks_enabled) return;
      const until = Date.now() + longestRun;
      // Each is checked once in a run, whatever the clock says.
      const seen = new Set<number>();
      while (Date.now() < until && !signal.aborted) {
        const [next] = (await checksDue(db, batch)).filter((id) => !seen.has(id));
        if (next === undefined) return;
        seen.add(next);
        await check(next);
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
          subject: `Repository checks: ${failed.length === 1 ? '1 repository is' : `${failed.length} repositories are`} damaged`,
          paragraphs: ['git fsck found problems. Restore what is damaged from a backup or a clone.'],
          details: failed.map(({ path, problem }) => [path, problem] as const),
          action: { label: 'Open the overview', url: `${deps.externalUrl}/admin` },
        });
      await noteTold(
        tx,
        failed.map(({ project_id }) => project_id),
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
