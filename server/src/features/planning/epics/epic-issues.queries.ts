/** SQL of the issues of an epic and of their order. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { issuesSeen } from '../../namespaces/index.ts';

const gap = 1024;

/** Those that the caller sees, of whichever projects, in their order. */
export async function issuesOfEpic(db: Db, epicId: number, caller: Caller): Promise<Issue[]> {
  const seen = issuesSeen(caller, null);
  if (seen === null) return [];
  const { rows } = await sql<Issue>`select i.* from issues i where i.epic_id = ${epicId} and ${seen}
    order by i.epic_position, i.id`.execute(db);
  return rows;
}

/** Ids of all associations of an epic in their order; the epic is locked. */
export async function orderOfIssues(tx: Db, epicId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select epic_issue_id as id from issues where epic_id = ${epicId}
    order by epic_position, id`.execute(tx);
  return rows.map(({ id }) => id);
}

export async function setOrderOfIssues(tx: Db, epicId: number, ids: readonly number[]): Promise<void> {
  await sql`update issues i set epic_position = w.place * ${gap}
    from unnest(${[...ids]}::bigint[]) with ordinality w (id, place)
    where i.epic_issue_id = w.id and i.epic_id = ${epicId}`.execute(tx);
}
