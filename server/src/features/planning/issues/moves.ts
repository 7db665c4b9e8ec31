/** Where an issue came from and where it goes on: moved, closed as a duplicate, promoted to an epic. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue as IssueRow } from '../../../kernel/db/rows.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { epicAbove } from '../epics/epics.queries.ts';
import type { PresentEpics } from '../epics/presenting.ts';
import { visibleIssues } from './access.ts';
import { type IssueMovesJson, issueJson } from './issues.entity.ts';
import { issuesAroundMoves, withDetails } from './issues.queries.ts';

export type IssueMoves = (row: IssueRow, subject: ProjectSubject, caller: Caller) => Promise<IssueMovesJson>;

/** Of the places that an issue was moved between, those that the caller sees. */
export function issueMoves(
  db: Db,
  base: string,
  parents: Pick<ParentLoader, 'projects'>,
  epics: Pick<PresentEpics, 'many'>,
): IssueMoves {
  return async (row, subject, caller) => {
    const [around, epic] = await Promise.all([
      issuesAroundMoves(db, row),
      row.promoted_to_epic_id === null ? undefined : epicAbove(db, subject, caller, { id: row.promoted_to_epic_id }),
    ]);
    const promoted = epic && (await epics.many([epic])).get(epic.id);
    const loaded = await withDetails(db, await visibleIssues(db, parents, around, caller), caller);
    const shown = (is: (other: IssueRow) => boolean) => {
      const found = loaded.find((each) => is(each.row));
      if (!found) return null;
      const { title, references, web_url } = issueJson(found, base, { projectId: row.project_id });
      return { title, reference: references.relative, web_url };
    };
    return {
      moved_from: shown(({ moved_to_id }) => moved_to_id === row.id),
      moved_to: shown(({ id }) => id === row.moved_to_id),
      duplicate_of: shown(({ id }) => id === row.duplicated_to_id),
      promoted_to: promoted
        ? { title: promoted.title, reference: promoted.references.full, web_url: promoted.web_url }
        : null,
    };
  };
}
