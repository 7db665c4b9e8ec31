/** Quick actions on epics. */
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Epic } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { Place } from '../../collaboration/notes/index.ts';
import {
  type Command,
  type Commandable,
  dayIn,
  guarded,
  noDay,
  type Running,
} from '../../collaboration/quick-actions/index.ts';
import { issueNamed, type OnIssue } from '../issues/commanded.ts';
import type { IssueService } from '../issues/issues.service.ts';
import { epicById, labelsOf } from './epics.queries.ts';
import { type EpicService, timedEpic } from './epics.service.ts';
import { deleteLink, insertLink, linksOf } from './links.queries.ts';
import { epicNamed, type NamedEpic } from './naming.ts';

/** More epics than this are not named by one command. */
const mostNamed = 20;

export function epicCommands(deps: {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'group' | 'project'>;
  readonly epics: EpicService;
  readonly issues: Pick<IssueService, 'update' | 'leaveEpic'>;
}): Commandable {
  const { db, epics, issues } = deps;

  async function epicAt({ noteable, subject }: Place): Promise<{ row: Epic; subject: GroupSubject }> {
    const row = noteable.id === null ? undefined : await epicById(db, noteable.id);
    if (!row || subject.kind !== 'group') throw notFound('Epic');
    return { row, subject };
  }

  const namesIn = (argument: string) => argument.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and');

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
      const references = namesIn(argument);
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

  /** A command about what is below an epic: epics, and issues that the caller may plan. */
  const placing = (
    names: Command['names'],
    summary: string,
    work: {
      readonly epic: (here: NamedEpic, child: NamedEpic, caller: Caller) => Promise<void>;
      readonly issue: (here: NamedEpic, child: OnIssue, caller: Caller) => Promise<void>;
    },
  ): Command => ({
    names,
    async run(on, argument) {
      const { caller } = on;
      const here = await epicAt(on.place);
      const references = namesIn(argument);
      if (references.length === 0 || references.length > mostNamed) return null;
      if (!canOnGroup(caller, 'update_epic', here.subject)) return null;
      const found: (() => Promise<void>)[] = [];
      for (const reference of references) {
        const epic = await epicNamed(deps, caller, here.row.namespace_id, reference);
        const issue = epic ? null : await issueNamed(deps, on, reference);
        if (epic && epic.row.id !== here.row.id && canOnGroup(caller, 'update_epic', epic.subject))
          found.push(() => work.epic(here, epic, caller));
        else if (issue && canOnProject(caller, 'update_issue', issue.subject))
          found.push(() => work.issue(here, issue, caller));
        else return null;
      }
      return {
        changes: {},
        summary: `${summary} ${argument}.`,
        async after() {
          for (const each of found) await each();
        },
      };
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
    fields: new Set(['lock', 'times', 'health', 'metadata']),
    times: timedEpic,
    may: async ({ subject }, caller) => subject.kind === 'group' && canOnGroup(caller, 'update_epic', subject),
    async current(place) {
      const { row } = await epicAt(place);
      const labels = (await labelsOf(db, [row.id])).get(row.id) ?? [];
      const { title, state, discussion_locked: locked, health_status: healthStatus } = row;
      return { title, state, labels, locked, healthStatus, assigneeIds: [], reviewerIds: [], milestoneId: null };
    },
    async update(place, caller, wish) {
      const { row, subject } = await epicAt(place);
      const { due_date, discussion_locked, health_status, ...rest } = wish;
      const { title, state_event, labels, add_labels, remove_labels, confidential } = rest;
      const dates = due_date === undefined ? {} : { due_date_is_fixed: true, due_date_fixed: due_date };
      const given = {
        ...{ title, state_event, labels, add_labels, remove_labels, confidential, ...dates },
        ...{ discussion_locked, health_status },
      };
      await epics.update(subject, caller, row.id, given);
    },
    async metadataOf({ subject }, caller, reference) {
      const here = subject.kind === 'group' ? subject.group.id : subject.namespace.id;
      const found = await epicNamed(deps, caller, here, reference);
      return found && { labels: (await labelsOf(db, [found.row.id])).get(found.row.id) ?? [], milestoneId: null };
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
      guarded('plan', ['due'], async (_on, argument) => {
        const due_date = dayIn(argument);
        return due_date === null
          ? noDay
          : { changes: { due_date }, wish: { due_date }, summary: `Set the due date to ${due_date}.` };
      }),
      guarded('plan', ['remove_due_date'], async ({ place }) => {
        const { due_date_is_fixed: fixed, due_date_fixed: day } = (await epicAt(place)).row;
        const due_date = null;
        return fixed && day !== null
          ? { changes: { due_date }, wish: { due_date }, summary: 'Removed the due date.' }
          : null;
      }),
      placing(['add_child', 'child_epic'], 'Added as child:', {
        epic: async ({ row }, { row: child, subject }, caller) => {
          await epics.update(subject, caller, child.id, { parent_id: row.id });
        },
        issue: async ({ row }, { row: child, subject }, caller) => {
          await issues.update(subject, caller, child, { epic_id: row.id });
        },
      }),
      placing(['remove_child', 'remove_child_epic'], 'Removed from the children:', {
        epic: async ({ row }, { row: child, subject }, caller) => {
          if (child.parent_id === row.id) await epics.update(subject, caller, child.id, { parent_id: null });
        },
        issue: async ({ row }, { row: child, subject }, caller) => {
          if (child.epic_id === row.id) await issues.leaveEpic(subject, caller, child, row.id);
        },
      }),
      about(
        ['set_parent', 'parent_epic', 'epic'],
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
      about(
        ['duplicate'],
        'update_epic',
        'Closed this epic. Marked as related to, and a duplicate of,',
        async ({ row, subject }, others, { caller }) => {
          for (const other of others)
            await transaction(db, async (tx) => {
              await insertLink(tx, { source_id: row.id, target_id: other.row.id, link_type: 'relates_to' });
              await epics.updateIn(tx, subject, caller, row.id, { state_event: 'close' });
            });
        },
        1,
      ),
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
