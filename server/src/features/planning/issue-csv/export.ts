/** Issues as a file that is mailed to whoever asked for it: what they see of the issues that their filter finds. */
import Type from 'typebox';
import { inPerson } from '../../../kernel/authz/acting.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import { plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { addJob, defineTask } from '../../../kernel/queue/index.ts';
import { findUser, mailAddressOf } from '../../identity/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { countByState } from '../issues/counting.queries.ts';
import type { IssueFilter } from '../issues/filter.queries.ts';
import { withDetails } from '../issues/issues.queries.ts';
import { type IssueList, listIssues } from '../issues/listing.queries.ts';
import { headerLine, issueLine } from './columns.ts';
import type { IssueCsvDependencies } from './index.ts';
import { exportedMail } from './mail-templates.ts';

/** As much as mail servers commonly take. */
const largestFile = 15 * 1024 * 1024;
const batch = 500;
const times = ['createdAfter', 'createdBefore', 'updatedAfter', 'updatedBefore'] as const;

/** A filter as it was before it waited in the queue. */
const revived = (filter: Readonly<Record<string, unknown>>): IssueFilter => ({
  ...filter,
  ...Object.fromEntries(times.flatMap((name) => (name in filter ? [[name, new Date(String(filter[name]))]] : []))),
});

/** What a list shows of a project, as links and names. */
export const placeOf = ({ project, namespace }: ProjectSubject, externalUrl: string) => ({
  name: project.name,
  url: `${externalUrl}/${namespace.full_path}/${project.path}/-/issues`,
});

export function issueExports({ db, mail, externalUrl }: IssueCsvDependencies) {
  /** The file, as long as it may be. Rows that come and go meanwhile are in it or not. */
  async function fileOf(list: IssueList): Promise<{ content: Buffer; written: number }> {
    const lines: string[] = [headerLine];
    let size = Buffer.byteLength(headerLine);
    let after: Parameters<typeof listIssues>[2]['after'] = null;
    for (;;) {
      const { rows, cursorOf } = await listIssues(db, list, { limit: batch, offset: 0, after });
      for (const issue of await withDetails(db, rows, list.caller)) {
        const line = issueLine(issue, externalUrl);
        size += Buffer.byteLength(line);
        if (size > largestFile) return { content: Buffer.from(lines.join('')), written: lines.length - 1 };
        lines.push(line);
      }
      const last = rows.at(-1);
      if (!last || rows.length < batch) return { content: Buffer.from(lines.join('')), written: lines.length - 1 };
      after = cursorOf(last);
    }
  }

  const task = defineTask(
    'issues.export_csv',
    Type.Object({
      project_id: Type.Integer(),
      user_id: Type.Integer(),
      filter: Type.Record(Type.String(), Type.Unknown()),
    }),
    async ({ project_id, user_id, filter }) => {
      const user = await findUser(db, user_id);
      const subject = await findProjectSubject(db, String(project_id), user_id);
      const to = user?.state === 'active' ? mailAddressOf(user) : null;
      if (!user || !subject || to === null) return;
      const caller = inPerson(user);
      // They may have lost the project while the export waited.
      if (!canOnProject(caller, 'export_issue', subject)) return;
      const query = { place: { kind: 'project', subject } as const, caller, filter: revived(filter) };
      const { content, written } = await fileOf({ ...query, orderBy: 'title', sort: 'asc' });
      const { all: found } = await countByState(db, query);
      const filename = `${subject.project.path}_issues_${new Date().toISOString().slice(0, 10)}.csv`;
      const letter = exportedMail(to, placeOf(subject, externalUrl), { content, written, found, filename });
      await transaction(db, (tx) => mail.send(tx, letter));
    },
    { timeout: 600_000, maxAttempts: 5 },
  );

  return {
    task,
    /** Refused where the file could reach nobody. */
    async start({ project }: ProjectSubject, { user }: Caller, filter: IssueFilter): Promise<void> {
      if (!user) throw unauthorized();
      if (!mail.configured) throw plainError(400, 'The export is sent by email, but no mail server is configured');
      if (mailAddressOf(user) === null)
        throw plainError(400, 'The export is sent by email: confirm your email address');
      const payload = { project_id: project.id, user_id: user.id, filter: { ...filter } };
      await addJob(db, task, payload);
    },
  };
}
