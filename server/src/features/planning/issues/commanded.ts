/** The issues that quick actions are about: the one that is discussed, and those that it names. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { Place } from '../../collaboration/notes/index.ts';
import type { Running } from '../../collaboration/quick-actions/index.ts';
import { mayReadIssue } from './access.ts';
import * as queries from './issues.queries.ts';
import type { IssueService } from './issues.service.ts';
import type { Beginnings } from './merge-request-command.ts';
import type { IssueTransfers } from './transferring.ts';

export interface IssueCommandDependencies {
  readonly db: Db;
  readonly parents: Pick<ParentLoader, 'project' | 'group'>;
  readonly issues: IssueService;
  readonly transfers: IssueTransfers;
  readonly beginnings: Beginnings;
}

export interface OnIssue {
  readonly row: Issue;
  readonly subject: ProjectSubject;
}

/** The issue that a place is. */
export async function issueAt(db: Db, { noteable, subject }: Place): Promise<OnIssue> {
  const row = noteable.id === null ? undefined : await queries.issueById(db, noteable.id);
  if (!row || subject.kind !== 'project') throw recordNotFound();
  return { row, subject };
}

const written = /^(?:(?:https?:\/\/[^/\s]+\/)?([\w.-]+(?:\/[\w.-]+)*)(?:#|\/-\/issues\/)|#)(\d{1,9})$/;

/** An issue that a command names, `#1`, `group/project#1` or its URL, where the caller sees it. */
export async function issueNamed(
  { db, parents }: Pick<IssueCommandDependencies, 'db' | 'parents'>,
  { place: { subject }, caller }: Pick<Running, 'place' | 'caller'>,
  reference: string,
): Promise<OnIssue | null> {
  const [, path, iid] = written.exec(reference.trim()) ?? [];
  const there = path === undefined ? subject : await parents.project(path, caller);
  if (!iid || there?.kind !== 'project') return null;
  const row = await queries.issueByIid(db, there.project.id, Number(iid));
  return row && (await mayReadIssue(db, there, caller, row)) ? { row, subject: there } : null;
}
