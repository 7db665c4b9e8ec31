/** The API of single issues: create, look, change, delete. */
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue as IssueRow, User } from '../../../kernel/db/rows.ts';
import { forbidden, invalidParameters, notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { Bool, DateTimeParam, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { baseOf, type Markdown } from '../../../kernel/markdown/index.ts';
import { ofProject, type Place } from '../../collaboration/notes/index.ts';
import type { QuickActions } from '../../collaboration/quick-actions/index.ts';
import { UserAgentDetail } from '../../repository/index.ts';
import { findIssue, findIssueToUpdate } from './access.ts';
import { type FollowUps, followed } from './follow-ups.ts';
import { Issue, type IssueJson, issueJson } from './issues.entity.ts';
import { changed, changedRules, one, projectParam, written, writtenRules } from './issues.params.ts';
import { issueById, type LoadedIssue, withDetails } from './issues.queries.ts';
import type { IssueService, MadeIssue } from './issues.service.ts';
import type { IssueMoves } from './moves.ts';

const common = { tag: 'Issues', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_issue' } as const;

/** An issue as what is discussed. */
export const placeOfIssue = (row: IssueRow, subject: ProjectSubject): Place => ({
  noteable: ofProject('issue', row),
  subject,
  title: row.title,
  authorId: row.author_id,
  locked: row.discussion_locked === true,
});

/** A new issue as its author sees it where all that it has is known without a read. */
function newIssueJson(
  row: IssueRow,
  { labels, assignees }: NonNullable<MadeIssue['known']>,
  { project, namespace }: ProjectSubject,
  author: User,
  base: string,
): IssueJson {
  const { id, namespace_id, path } = project;
  const loaded: LoadedIssue = {
    ...{ row, author, project: { id, namespace_id, path, path_with_namespace: `${namespace.full_path}/${path}` } },
    ...{ closedBy: null, assignees, labels, milestone: null, duplicateOf: null, epic: null, iteration: null },
    counts: { notes: 0, upvotes: 0, downvotes: 0, mergeRequests: 0, blocking: 0 },
    isSubscribed: () => true,
  };
  return { ...issueJson(loaded, base, { projectId: id }), subscribed: true };
}

/** One issue as its project shows it. */
export function issuePresenter(db: Db, base: string) {
  return async (row: IssueRow, caller: Caller, known?: ProjectSubject): Promise<IssueJson> => {
    const [loaded] = await withDetails(db, [row], caller, known, caller.user?.id ?? null);
    if (!loaded) throw recordNotFound();
    const subscribed = loaded.isSubscribed([row.author_id, ...loaded.assignees.map(({ id }) => id)]);
    return { ...issueJson(loaded, base, { projectId: row.project_id }), subscribed };
  };
}
export type PresentIssue = ReturnType<typeof issuePresenter>;

export function issueRoutes({
  db,
  issues,
  externalUrl: base,
  present,
  actions,
  markdown,
  followUp,
  moves,
}: {
  readonly db: Db;
  readonly issues: IssueService;
  readonly externalUrl: string;
  readonly present: PresentIssue;
  readonly actions: Pick<QuickActions, 'creating' | 'describing'>;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly followUp: FollowUps;
  readonly moves: IssueMoves;
}): Route[] {
  const find = (subject: ProjectSubject, caller: Caller, iid: number) => findIssue(db, subject, caller, iid);

  return [
    route({
      ...common,
      method: 'GET',
      path: '/issues/:id',
      summary: 'Get an issue by its id',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object({ id: Int({ description: 'Id of the issue' }) }),
      responses: { 200: Issue },
      handler: async ({ params, caller }) => {
        const row = await issueById(db, params.id);
        if (!row) throw recordNotFound();
        return await present(row, caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/issues',
      summary: 'Create an issue',
      access: { on: 'project', ability: 'create_issue' },
      rate: 'issues_create',
      params: Type.Object(
        {
          ...projectParam,
          title: Optional(
            Str({ description: 'Title of the issue; required, unless it resolves threads of a merge request' }),
          ),
          ...written,
          ...followed,
          created_at: Optional(
            DateTimeParam({
              description: 'When it was created; for administrators and owners, passed over for others',
            }),
          ),
          iid: Optional(
            Int({
              maximum: 2_147_483_647,
              description: 'Number within the project; for administrators and owners, passed over for others',
            }),
          ),
        },
        writtenRules,
      ),
      responses: { 201: Issue },
      errors: [409],
      handler: async ({ params, subject, caller, request, clientAddress: address }) => {
        const userAgent = request.headers['user-agent'];
        const follows = await followUp(subject, caller, params);
        const { title = follows?.title, description: text = follows?.description } = params;
        if (title === undefined) throw invalidParameters(['title is missing']);
        const made = await actions.creating(
          'issue',
          caller,
          text,
          (description) =>
            issues.create(subject, caller, { ...params, title, description, userAgent, address }, follows?.resolve),
          (each) => placeOfIssue(each.issue, subject),
        );
        const { issue, known } = made;
        // A description that is kept as it came had no commands.
        const isAsMade = issue.description === (text ?? null);
        if (caller.user && known && isAsMade) return newIssueJson(issue, known, subject, caller.user, base);
        return await present(isAsMade ? issue : ((await issueById(db, issue.id)) ?? issue), caller, subject);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid',
      summary: 'Get an issue',
      access: read,
      params: Type.Object({
        ...one,
        render_html: Optional(Bool({ description: 'Also give the description as HTML' })),
        with_moves: Optional(
          Bool({ description: 'Also give what it was moved from and to, duplicates, and was promoted to' }),
        ),
      }),
      responses: { 200: Issue },
      handler: async ({ params, subject, caller }) => {
        const row = await find(subject, caller, params.issue_iid);
        const text = row.description;
        const [issue, html, around] = await Promise.all([
          present(row, caller, subject),
          params.render_html && text ? markdown.html(text, { caller, base: baseOf(subject) }) : text,
          params.with_moves ? moves(row, subject, caller) : undefined,
        ]);
        return {
          ...issue,
          ...(params.render_html ? { description_html: html } : {}),
          ...(around ? { moves: around } : {}),
        };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/user_agent_detail',
      summary: 'Get the user agent that created an issue; administrators only',
      access: read,
      params: Type.Object(one),
      responses: { 200: UserAgentDetail },
      handler: async ({ params, subject, caller }) => {
        const { user_agent, ip_address } = await find(subject, caller, params.issue_iid);
        if (!caller.admin) throw forbidden();
        if (user_agent === null) throw notFound('UserAgentDetail');
        return { user_agent, ip_address, akismet_submitted: false };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid',
      summary: 'Update, close or reopen an issue',
      access: read,
      params: Type.Object({ ...one, ...changed }, changedRules),
      responses: { 200: Issue },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const row = await findIssueToUpdate(db, subject, caller, params.issue_iid);
        const updated = await actions.describing(
          placeOfIssue(row, subject),
          caller,
          params.description,
          (description) => issues.update(subject, caller, row, { ...params, description }),
          () => issueById(db, row.id),
        );
        return await present(updated, caller);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/projects/:id/issues/:issue_iid',
      summary: 'Delete an issue',
      access: read,
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const row = await find(subject, caller, params.issue_iid);
        requireOnProject(caller, 'remove_issue', subject);
        unmodifiedSince(row.updated_at);
        await issues.remove(row, caller);
      },
    }),
  ];
}
