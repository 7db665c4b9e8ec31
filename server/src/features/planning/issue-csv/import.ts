/** Issues out of a file: each row becomes one, exactly once, and a mail names the lines that were refused. */

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import Type from 'typebox';
import { inPerson } from '../../../kernel/authz/acting.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { CsvError } from '../../../kernel/csv.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { HttpError, invalidRecord, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import type { UploadedFile } from '../../../kernel/http/params/nested.ts';
import { addJob, defineTask } from '../../../kernel/queue/index.ts';
import { milestoneNamed } from '../../collaboration/index.ts';
import { findUser, mailAddressOf } from '../../identity/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { issueTypes } from '../issues/issues.entity.ts';
import { placeOfIssue } from '../issues/issues.routes.ts';
import { placeOf } from './export.ts';
import type { IssueCsvDependencies } from './index.ts';
import * as queries from './issue-csv.queries.ts';
import { importedMail } from './mail-templates.ts';
import { type IssueRow, issueRows } from './rows.ts';

/** Rows after which it is asked again whether the person still may. */
const recheck = 100;

const isDay = (text: string): boolean => {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00Z`) : null;
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
};
const typeOf = (text: string) => issueTypes.find((type) => type === text.toLowerCase().replaceAll(' ', '_'));

/** `title can't be blank` of `{title: ["can't be blank"]}`. */
function reasonOf({ body }: HttpError): string {
  const said = 'message' in body ? body.message : body.error;
  if (typeof said !== 'object' || said === null) return String(said);
  return Object.entries(said)
    .map(([field, reasons]) => `${field} ${[reasons].flat().join(', ')}`)
    .join('; ');
}

export function issueImports(deps: IssueCsvDependencies) {
  const { db, objects, mail, externalUrl, issues, actions } = deps;

  async function create(subject: ProjectSubject, caller: Caller, row: IssueRow, importId: number): Promise<void> {
    const milestone = row.milestone === '' ? null : await milestoneNamed(db, subject, row.milestone);
    if (milestone === undefined) throw invalidRecord({ milestone: [`"${row.milestone}" does not exist`] });
    if (row.due_date !== '' && !isDay(row.due_date)) throw invalidRecord({ due_date: ['is not a day (YYYY-MM-DD)'] });
    const issue_type = row.type === '' ? undefined : typeOf(row.type);
    if (row.type !== '' && !issue_type) throw invalidRecord({ type: [`is not one of ${issueTypes.join(', ')}`] });
    await actions.creating(
      'issue',
      caller,
      row.description,
      (description) =>
        issues.create(
          subject,
          caller,
          {
            ...{ title: row.title, description, issue_type },
            ...(milestone ? { milestone_id: milestone.id } : {}),
            ...(row.due_date === '' ? {} : { due_date: row.due_date }),
          },
          // A process that dies leaves no row undone and does none twice.
          (tx) => queries.countCreated(tx, importId),
        ),
      ({ issue }) => placeOfIssue(issue, subject),
    );
  }

  /** Who imports, and the project as they see it now; null where they no longer may. */
  async function acting({ user_id, project_id }: queries.IssueImport) {
    const user = await findUser(db, user_id);
    const subject = user?.state === 'active' ? await findProjectSubject(db, String(project_id), user_id) : null;
    if (!user || !subject) return null;
    const caller = inPerson(user);
    return { caller, subject, allowed: canOnProject(caller, 'import_issue', subject) };
  }

  async function finish(id: number, failure: string | null): Promise<void> {
    await transaction(db, async (tx) => {
      const ended = await queries.takeImport(tx, id);
      const by = ended && (await acting(ended));
      const to = by && mailAddressOf(by.caller.user);
      if (!ended || !by || !to) return;
      await mail.send(tx, importedMail(to, placeOf(by.subject, externalUrl), { ...ended, failure }));
    });
  }

  const task = defineTask(
    'issues.import_csv',
    Type.Object({ import_id: Type.Integer() }),
    async ({ import_id: id }, { signal, attempt, maxAttempts }) => {
      const begun = await queries.findImport(db, id);
      if (!begun) return;
      const rows = issueRows(await buffer(objects.get(begun.object_key)));
      let by: Awaited<ReturnType<typeof acting>> = null;
      for (const [number, row] of rows.entries()) {
        if (number < begun.done) continue;
        signal.throwIfAborted();
        if (by === null || number % recheck === 0) by = await acting(begun);
        if (!by?.allowed) return await finish(id, 'The import stopped: you may no longer import issues here.');
        try {
          await create(by.subject, by.caller, row, id);
        } catch (error) {
          if (error instanceof HttpError && error.status < 500) {
            await queries.countRefused(db, id, { line: row.line, reason: reasonOf(error) });
          } else if (attempt < maxAttempts || signal.aborted) {
            throw error;
          } else {
            await finish(id, `The import stopped at line ${row.line}: something went wrong on the server.`);
            throw error;
          }
        }
      }
      await finish(id, null);
    },
    { timeout: 3_600_000, maxAttempts: 10 },
  );

  return {
    task,
    /** Takes a file that can be read as a whole; what is wrong with single rows is told by mail. */
    async start({ project }: ProjectSubject, { user }: Caller, file: UploadedFile): Promise<number> {
      if (!user) throw unauthorized();
      const rows = rowsOf(await readFile(file.path));
      if (rows === 0) throw plainError(400, 'The file has no rows');
      const { key } = await objects.putFile(file.path, { size: file.size, sha256: file.sha256 });
      try {
        await transaction(db, async (tx) => {
          const values = { project_id: project.id, user_id: user.id, object_key: key };
          await addJob(tx, task, { import_id: await queries.insertImport(tx, values) });
        });
      } catch (error) {
        await objects.remove(key);
        throw error;
      }
      return rows;
    },
  };
}

function rowsOf(bytes: Uint8Array): number {
  try {
    return issueRows(bytes).length;
  } catch (error) {
    if (error instanceof CsvError) throw plainError(400, error.message);
    throw error;
  }
}
