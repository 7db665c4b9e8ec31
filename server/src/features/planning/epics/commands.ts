/** Quick actions on epics. */
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Epic } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { Place } from '../../collaboration/notes/index.ts';
import { type Command, type Commandable, guarded, type Running } from '../../collaboration/quick-actions/index.ts';
import { epicById, labelsOf } from './epics.queries.ts';
import type { EpicService } from './epics.service.ts';
import { deleteLink, insertLink, linksOf } from './links.queries.ts';
import { epicNamed, type NamedEpic } from './naming.ts';

/** More epics than this are not named by one command. */
const mostNamed = 20;

export function epicCommands(deps: {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'group'>;
  readonly epics: EpicService;
}): Commandable {
  const { db, epics } = deps;

  async function epicAt({ noteable, subject }: Place): Promise<{ row: Epic; subject: GroupSubject }> {
    const row = noteable.id === null ? undefined : await epicById(db, noteable.id);
    if (!row || subject.kind !== 'group') throw notFound('Epic');
    return { row, subject };
  }

  /** A command about other epics that the caller may change: all that are named, or nothing is done. */
  const about = (
    names: Command['names'],
    ability: 'update_epic' | 'admin_epic_link',
    summary: string,
    work: (here: NamedEpic, others: readonly NamedEpic[], by: Running) => Promise<void>,
    most = mostNamed,
  ): Command => ({
    names,
    async run(on, argument) {
      const here = await epicAt(on.place);
      const references = argument.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and');
      if (references.length === 0 || references.length > most || !canOnGroup(on.caller, ability, here.subject))
        return null;
      const others = await Promise.all(
        references.map((reference) => epicNamed(deps, on.caller, here.row.namespace_id, reference)),
      );
      const found = others.flatMap((other) =>
        other && other.row.id !== here.row.id && canOnGroup(on.caller, ability, other.subject) ? [other] : [],
      );
      return found.length < references.length
        ? null
        : { changes: {}, summary: `${summary} ${argument}.`, after: () => work(here, found, on) };
    },
  });

  const linking = (name: string, type: 'relates_to' | 'blocks', summary: string, backwards = false): Command =>
    about([name], 'admin_epic_link', summary, async ({ row }, others) => {
      for (const other of others)
        await transaction(db, async (tx) => {
          const [source, target] = backwards ? [other.row, row] : [row, other.row];
          await insertLink(tx, { source_id: source.id, target_id: target.id, link_type: type });
        });
    });

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
      about(['add_child', 'child_epic'], 'update_epic', 'Added as child epic:', async ({ row }, others, { caller }) => {
        for (const { row: child, subject } of others)
          await epics.update(subject, caller, child.id, { parent_id: row.id });
      }),
      about(
        ['remove_child', 'remove_child_epic'],
        'update_epic',
        'Removed from the child epics:',
        async ({ row }, others, { caller }) => {
          for (const { row: child, subject } of others)
            if (child.parent_id === row.id) await epics.update(subject, caller, child.id, { parent_id: null });
        },
      ),
      about(
        ['set_parent', 'parent_epic'],
        'update_epic',
        'Set the parent epic to',
        async ({ row, subject }, [parent], { caller }) =>
          void (await epics.update(subject, caller, row.id, { parent_id: parent?.row.id })),
        1,
      ),
      guarded('plan', ['remove_parent', 'remove_parent_epic'], async ({ place, caller }) => {
        const { row, subject } = await epicAt(place);
        return row.parent_id === null
          ? null
          : {
              changes: {},
              summary: 'Removed the parent epic.',
              after: async () => void (await epics.update(subject, caller, row.id, { parent_id: null })),
            };
      }),
      linking('relate', 'relates_to', 'Related this epic to'),
      linking('blocks', 'blocks', 'Set this epic as blocking'),
      linking('blocked_by', 'blocks', 'Set this epic as blocked by', true),
      about(['unlink'], 'admin_epic_link', 'Removed the link with', async ({ row }, others) => {
        const ids = new Set(others.map((other) => other.row.id));
        for (const link of await linksOf(db, row.id))
          if (ids.has(link.source_id) || ids.has(link.target_id))
            await transaction(db, (tx) => deleteLink(tx, link.id));
      }),
    ],
  };
}
