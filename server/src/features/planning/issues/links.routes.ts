/** The API of links between issues: which relate to each other, and which block which. */
import Type, { type Static } from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue as IssueRow } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Timestamp, Word } from '../../../kernel/http/entity.ts';
import {
  conflict,
  forbidden,
  notFound,
  plainError,
  recordNotFound,
  unauthorized,
} from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type ParentLoader, requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findIssue, mayReadIssue, visibleIssues } from './access.ts';
import { Issue, issueJson } from './issues.entity.ts';
import { one } from './issues.params.ts';
import { issueById, issueByIid, withDetails } from './issues.queries.ts';
import { type LinkRow, linkOf, linksOf } from './links.queries.ts';
import { type LinkType, linkIssues, linkTypes, unlinkIssues } from './links.service.ts';

const common = { tag: 'Issues', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_issue' } as const;
const types = linkTypes;
const linkId = { issue_link_id: Int({ description: 'Id of the link' }) };

const { subscribed: _, ...shown } = Issue.properties;
const LinkedIssue = Entity('LinkedIssue', {
  ...shown,
  issue_link_id: Id(),
  link_type: Word(types, { description: 'As seen from the issue of the request' }),
  link_created_at: Timestamp(),
  link_updated_at: Timestamp(),
});
const IssueLink = Entity('IssueLink', {
  id: Id(),
  source_issue: Issue,
  target_issue: Issue,
  link_type: Word(types),
});

/** Of two linked issues the other one. */
const otherOf = (link: LinkRow, issueId: number) => (link.source_id === issueId ? link.target_id : link.source_id);
const seenFrom = (link: LinkRow, issueId: number): LinkType =>
  link.link_type === 'blocks' && link.target_id === issueId ? 'is_blocked_by' : link.link_type;

const noMatch = () => plainError(404, 'No matching issue found. Make sure that you are adding a valid issue URL.');

export function issueLinkRoutes(db: Db, base: string, parents: Pick<ParentLoader, 'project' | 'projects'>): Route[] {
  const shownFrom = (projectId: number) => ({ projectId });

  async function linkJson(link: LinkRow, from: IssueRow, caller: Caller): Promise<Static<typeof IssueLink>> {
    const swapped = link.link_type === 'blocks' && link.target_id === from.id;
    const ids = swapped ? [link.target_id, link.source_id] : [link.source_id, link.target_id];
    const rows = await Promise.all(ids.map((id) => issueById(db, id)));
    const loaded = await withDetails(
      db,
      rows.filter((row) => row !== undefined),
      caller,
    );
    const [source, target] = ids.map((id) => loaded.find(({ row }) => row.id === id));
    if (!source || !target) throw recordNotFound();
    const json = (each: typeof source) => issueJson(each, base, shownFrom(from.project_id));
    return { id: link.id, source_issue: json(source), target_issue: json(target), link_type: seenFrom(link, from.id) };
  }

  const visible = (rows: readonly IssueRow[], caller: Caller) => visibleIssues(db, parents, rows, caller);

  const mayLink = (caller: Caller, subject: ProjectSubject) => {
    if (!canOnProject(caller, 'admin_issue_link', subject)) throw caller.user === null ? unauthorized() : forbidden();
  };

  async function find(subject: ProjectSubject, caller: Caller, params: { issue_iid: number; issue_link_id: number }) {
    const issue = await findIssue(db, subject, caller, params.issue_iid);
    const link = await linkOf(db, issue.id, params.issue_link_id);
    const other = link && (await issueById(db, otherOf(link, issue.id)));
    if (!link || !other || (await visible([other], caller)).length === 0) throw notFound('IssueLink');
    return { issue, link, other };
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/links',
      summary: 'List issues that an issue is linked to',
      access: read,
      params: Type.Object(one),
      pagination: 'offset',
      responses: { 200: ListOf(LinkedIssue) },
      handler: async ({ params, subject, caller, page }) => {
        const issue = await findIssue(db, subject, caller, params.issue_iid);
        const links = await linksOf(db, issue.id);
        const rows = await Promise.all(links.map((link) => issueById(db, otherOf(link, issue.id))));
        const seen = await visible(
          rows.filter((row) => row !== undefined),
          caller,
        );
        const kept = seen.slice(page.offset, page.offset + page.limit);
        const found = offsetPage(page, kept, seen.length);
        const loaded = await withDetails(db, found.items, caller);
        return withItems(
          found,
          loaded.flatMap((each) => {
            const link = links.find((candidate) => otherOf(candidate, issue.id) === each.row.id);
            return link
              ? [
                  {
                    ...issueJson(each, base, shownFrom(subject.project.id)),
                    issue_link_id: link.id,
                    link_type: seenFrom(link, issue.id),
                    link_created_at: link.created_at,
                    link_updated_at: link.updated_at,
                  },
                ]
              : [];
          }),
        );
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/links/:issue_link_id',
      summary: 'Get a link of an issue',
      access: read,
      params: Type.Object({ ...one, ...linkId }),
      responses: { 200: IssueLink },
      handler: async ({ params, subject, caller }) => {
        const { link, issue } = await find(subject, caller, params);
        return await linkJson(link, issue, caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/links',
      summary: 'Link an issue to another one',
      access: read,
      params: Type.Object({
        ...one,
        target_project_id: Str({ maxLength: 1000, description: 'Id or path of the project of the other issue' }),
        target_issue_iid: Int({ description: 'Number of the other issue within its project' }),
        link_type: Optional(
          OneOf(types, { default: 'relates_to', description: 'How this issue is linked to the other' }),
        ),
      }),
      responses: { 201: IssueLink },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const { user } = caller;
        const issue = await findIssue(db, subject, caller, params.issue_iid);
        mayLink(caller, subject);
        const there = await parents.project(params.target_project_id, caller);
        const other = there && (await issueByIid(db, there.project.id, params.target_issue_iid));
        if (!user || !there || !other || other.id === issue.id || !(await mayReadIssue(db, there, caller, other)))
          throw noMatch();
        requireOnProject(caller, 'admin_issue_link', there);
        const type: LinkType = params.link_type ?? 'relates_to';
        const link = await linkIssues(db, issue, other, type, user.id);
        if (!link) throw conflict('Issue(s) already assigned');
        return await linkJson(link, issue, caller);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/projects/:id/issues/:issue_iid/links/:issue_link_id',
      summary: 'Delete a link of an issue',
      access: read,
      params: Type.Object({ ...one, ...linkId }),
      responses: { 200: IssueLink },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const { link, issue, other } = await find(subject, caller, params);
        mayLink(caller, subject);
        const { user } = caller;
        if (!user) throw unauthorized();
        unmodifiedSince(link.updated_at);
        const shownLink = await linkJson(link, issue, caller);
        if (!(await unlinkIssues(db, link, issue, other, user.id))) throw notFound('IssueLink');
        return shownLink;
      },
    }),
  ];
}
