/** Quick actions on issues. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import type { Place } from '../../collaboration/notes/index.ts';
import { type Command, type Commandable, type Current, guarded } from '../../collaboration/quick-actions/index.ts';
import { mayUpdateIssue } from './access.ts';
import { type IssueCommandDependencies, issueAt, issueNamed } from './commanded.ts';
import * as queries from './issues.queries.ts';
import { linkCommands } from './link-commands.ts';
import { mergeRequestCommand } from './merge-request-command.ts';
import { timedIssue } from './noteable.ts';
import { planCommands, retyped } from './plan-commands.ts';

export function issueCommands(deps: IssueCommandDependencies): Commandable {
  const { db, issues, transfers } = deps;

  async function metadata(row: Issue): Promise<Pick<Current, 'labels' | 'milestoneId'>> {
    return { labels: (await queries.labelsOf(db, [row.id])).get(row.id) ?? [], milestoneId: row.milestone_id };
  }

  const promote: Command['run'] = async ({ place, caller }) => {
    const { row, subject } = await issueAt(db, place);
    if (!(await transfers.groupToPromote(subject, caller, row))) return null;
    return {
      changes: { promote_to_epic: true },
      summary: 'Promoted issue to an epic.',
      after: async () => void (await transfers.promote(subject, caller, row)),
    };
  };
  const promoteType = retyped(db, ['incident', 'issue'], 'Promoted this issue.');

  return {
    fields: new Set(['assignees', 'milestone', 'lock', 'times', 'health', 'metadata']),
    times: timedIssue(db),
    async may(place: Place, caller: Caller, what) {
      const { row, subject } = await issueAt(db, place);
      return what === 'plan'
        ? canOnProject(caller, 'update_issue', subject)
        : await mayUpdateIssue(db, subject, caller, row);
    },
    async current(place) {
      const { row } = await issueAt(db, place);
      const { title, state, discussion_locked, health_status: healthStatus } = row;
      const assigneeIds = await queries.assigneeIds(db, row.id);
      return {
        ...{ title, state, healthStatus, assigneeIds, reviewerIds: [], locked: discussion_locked === true },
        ...(await metadata(row)),
      };
    },
    async update(place, caller, wish) {
      const { row, subject } = await issueAt(db, place);
      await issues.update(subject, caller, row, wish);
    },
    async metadataOf(place, caller, reference) {
      const found = await issueNamed(deps, { place, caller }, reference);
      return found && (await metadata(found.row));
    },
    commands: [
      ...planCommands(deps),
      ...linkCommands(deps),
      mergeRequestCommand(db, deps.beginnings),
      guarded('plan', ['promote', 'promote_to_epic'], promote),
      guarded('plan', ['promote_to'], (on, type) =>
        type.toLowerCase() === 'epic' ? promote(on, type) : promoteType(on, type),
      ),
    ],
  };
}
