/** Projects that nobody uses are removed: first their Maintainers and Owners are warned, then they go like any other. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { caretakersOf } from '../members/caretakers.queries.ts';
import {
  type InactiveProject,
  type InactiveSince,
  listInactive,
  markWarned,
  stillInactive,
} from './inactive.queries.ts';

export interface InactiveDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** Removes one; false where something has happened in it since. */
  readonly remove: (id: number, since: InactiveSince) => Promise<boolean>;
}

const megabyte = 1024 ** 2;
const day = (date: Date) => date.toISOString().slice(0, 10);

export function inactiveProjects(deps: InactiveDependencies): { readonly task: Task; readonly cron: CronItem } {
  const { db, settings, mail, externalUrl } = deps;

  async function warn(project: InactiveProject, since: InactiveSince, goesOn: string): Promise<void> {
    await transaction(db, async (tx) => {
      const row = await stillInactive(tx, project.id, since);
      if (!row) return;
      await markWarned(tx, project.id);
      for (const { name, email } of mail.configured ? await caretakersOf(tx, row) : [])
        await mail.send(tx, {
          to: email,
          subject: `Action required: project ${project.name} is scheduled to be deleted on ${goesOn} due to inactivity`,
          paragraphs: [
            `Hello ${name},`,
            `Due to inactivity, the project ${project.name} is scheduled to be deleted on ${goesOn}. It was last active on ${day(project.last_activity_at)}.`,
            'To keep it, use it: push commits, or create or comment on issues or merge requests.',
          ],
          action: { label: 'View project', url: `${externalUrl}/${project.full_path}` },
        });
    });
  }

  async function each(
    since: InactiveSince,
    signal: AbortSignal,
    what: (project: InactiveProject) => Promise<unknown>,
  ): Promise<void> {
    for (let behind = 0; ; ) {
      const batch = await listInactive(db, since, behind);
      for (const project of batch) {
        signal.throwIfAborted();
        await what(project);
        behind = project.id;
      }
      if (batch.length === 0) return;
    }
  }

  const task = defineTask(
    'namespaces.remove_inactive_projects',
    Type.Object({}),
    async (_payload, { signal }) => {
      const {
        delete_inactive_projects: enabled,
        inactive_projects_delete_after_months: deleteAfter,
        inactive_projects_min_size_mb: minimum,
        inactive_projects_send_warning_email_after_months: warnAfter,
      } = await settings.read();
      if (!enabled) return;
      const size = minimum * megabyte;
      // Whoever is warned late has the whole time between both.
      const between = Math.max(deleteAfter - warnAfter, 1);
      const removed = { months: deleteAfter, warned: between, size };
      await each(removed, signal, ({ id }) => deps.remove(id, removed));
      const goesOn = new Date();
      goesOn.setUTCMonth(goesOn.getUTCMonth() + between);
      const warned = { months: warnAfter, warned: null, size };
      await each(warned, signal, (project) => warn(project, warned, day(goesOn)));
    },
    { timeout: 600_000 },
  );
  return { task, cron: { task: task.name, schedule: '37 1 * * *' } };
}
