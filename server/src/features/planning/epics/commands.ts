/** Quick actions on epics. */
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Epic } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { Place } from '../../collaboration/notes/index.ts';
import { type Commandable, guarded } from '../../collaboration/quick-actions/index.ts';
import { epicById, labelsOf } from './epics.queries.ts';
import type { EpicService } from './epics.service.ts';

export function epicCommands(db: Db, epics: EpicService): Commandable {
  async function epicAt({ noteable, subject }: Place): Promise<{ row: Epic; subject: GroupSubject }> {
    const row = noteable.id === null ? undefined : await epicById(db, noteable.id);
    if (!row || subject.kind !== 'group') throw notFound('Epic');
    return { row, subject };
  }

  return {
    fields: new Set(),
    may: async ({ subject }, caller) => subject.kind === 'group' && canOnGroup(caller, 'update_epic', subject),
    async current(place) {
      const { row } = await epicAt(place);
      const labels = (await labelsOf(db, [row.id])).get(row.id) ?? [];
      const { title, state } = row;
      return { title, state, labels, locked: false, assigneeIds: [], reviewerIds: [], milestoneId: null };
    },
    async update(place, caller, wish) {
      const { row, subject } = await epicAt(place);
      const { title, state_event, labels, add_labels, remove_labels, confidential } = wish;
      const given = { title, state_event, labels, add_labels, remove_labels, confidential };
      await epics.update(subject, caller, row.id, given);
    },
    commands: [
      guarded('plan', ['confidential'], async ({ place }) =>
        (await epicAt(place)).row.confidential
          ? null
          : {
              changes: { confidential: true },
              wish: { confidential: true },
              summary: 'Made this epic confidential.',
            },
      ),
    ],
  };
}
