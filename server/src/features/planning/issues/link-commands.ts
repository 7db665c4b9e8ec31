/** Quick actions on how issues are related, and on where they go. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import { type Command, guarded, type Outcome, type Running } from '../../collaboration/quick-actions/index.ts';
import { type IssueCommandDependencies, issueAt, issueNamed } from './commanded.ts';
import { linksOf } from './links.queries.ts';
import { type LinkType, linkIssues, unlinkIssues } from './links.service.ts';

/** More issues than this are not linked by one command. */
const most = 20;

export function linkCommands(deps: IssueCommandDependencies): readonly Command[] {
  const { db, parents, transfers } = deps;

  const linking = (names: Command['names'], type: LinkType, verb: string): Command => ({
    names,
    async run(on, argument) {
      const { row, subject } = await issueAt(db, on.place);
      const references = argument.split(/[\s,]+/).filter((word) => word !== '' && word !== 'and');
      if (references.length === 0 || references.length > most) return null;
      if (!canOnProject(on.caller, 'admin_issue_link', subject)) return null;
      const others = await Promise.all(references.map((reference) => issueNamed(deps, on, reference)));
      const found = others.flatMap((other) =>
        other && other.row.id !== row.id && canOnProject(on.caller, 'admin_issue_link', other.subject) ? [other] : [],
      );
      if (found.length === 0) return null;
      return {
        changes: {},
        summary: `${verb} ${argument}.`,
        after: async () => {
          for (const other of found) await linkIssues(db, row, other.row, type, on.userId, { replacing: true });
        },
      };
    },
  });

  /** Moves or clones to the project that is named. */
  async function transfer(
    on: Running,
    verb: 'move' | 'clone',
    path: string,
    work: (there: Parameters<typeof transfers.move>[3]) => Outcome | null,
  ): Promise<Outcome | string | null> {
    const { subject } = await issueAt(db, on.place);
    const there = path === '' ? subject : await parents.project(path, on.caller);
    if (!there) return `Unable to ${verb}. Target project doesn't exist.`;
    return canOnProject(on.caller, 'update_issue', there)
      ? work(there)
      : `Unable to ${verb}. Insufficient permissions.`;
  }

  return [
    linking(['relate'], 'relates_to', 'Related this issue to'),
    linking(['blocks'], 'blocks', 'Set this issue as blocking'),
    linking(['blocked_by'], 'is_blocked_by', 'Set this issue as blocked by'),
    {
      names: ['unlink'],
      async run(on, argument) {
        const { row, subject } = await issueAt(db, on.place);
        const other = await issueNamed(deps, on, argument);
        if (!other || !canOnProject(on.caller, 'admin_issue_link', subject)) return null;
        const link = (await linksOf(db, row.id)).find((each) =>
          [each.source_id, each.target_id].includes(other.row.id),
        );
        if (!link) return null;
        return {
          changes: {},
          summary: `Removed the link with ${argument}.`,
          after: async () => void (await unlinkIssues(db, link, row, other.row, on.userId)),
        };
      },
    },
    guarded('plan', ['duplicate'], async (on, argument) => {
      const { row, subject } = await issueAt(db, on.place);
      const other = await issueNamed(deps, on, argument);
      if (!other || other.row.id === row.id || row.state !== 'opened') return null;
      if (!canOnProject(on.caller, 'create_issue_note', other.subject)) return null;
      return {
        changes: { canonical_issue_id: other.row.id },
        summary: `Closed this issue. Marked as related to, and a duplicate of, ${argument}.`,
        after: async () => void (await transfers.duplicate(subject, on.caller, row, other.row)),
      };
    }),
    guarded('plan', ['move'], async (on, path) => {
      const { row, subject } = await issueAt(db, on.place);
      if (path === '' || row.moved_to_id !== null) return null;
      return await transfer(on, 'move', path, (there) =>
        there.project.id === subject.project.id
          ? null
          : {
              changes: { target_project_id: there.project.id },
              summary: `Moved this issue to ${path}.`,
              after: async () => void (await transfers.move(subject, on.caller, row, there)),
            },
      );
    }),
    guarded('plan', ['clone'], async (on, argument) => {
      const { row, subject } = await issueAt(db, on.place);
      const withNotes = /(?:^|\s)--with_notes$/.test(argument);
      const path = argument.replace(/(?:^|\s+)--with_notes$/, '').trim();
      return await transfer(on, 'clone', path, (there) => ({
        changes: { clone_with_notes: withNotes },
        summary: `Cloned this issue to ${path || 'this project'}.`,
        after: async () => void (await transfers.clone(subject, on.caller, row, there, { withNotes })),
      }));
    }),
  ];
}
