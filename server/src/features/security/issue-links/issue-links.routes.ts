/** The API of links between vulnerabilities and issues, from both sides. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, recordNotFound, unprocessable } from '../../../kernel/http/errors.ts';
import { mapPage, slicePage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { IssueFinder } from '../../planning/index.ts';
import {
  auditVulnerability,
  type FoundVulnerability,
  presentVulnerability,
  requireVulnerability,
  tellVulnerability,
} from '../vulnerabilities/finding.ts';
import { VulnerabilityEntity, vulnerabilityJson } from '../vulnerabilities/vulnerabilities.entity.ts';
import { findingsOf } from '../vulnerabilities/vulnerabilities.queries.ts';
import {
  issueLinkJson,
  relatedIssueJson,
  VulnerabilityIssueLinkEntity,
  VulnerabilityRelatedIssueEntity,
} from './issue-links.entity.ts';
import {
  deleteLink,
  findLink,
  type IssueLinkRow,
  insertLink,
  linksOf,
  linkTypes,
  type Refusal,
  vulnerabilitiesOf,
} from './issue-links.queries.ts';

export interface IssueLinkDependencies {
  readonly db: Db;
  readonly parents: ParentLoader;
  readonly issues: IssueFinder;
}

const common = { credentials: ['token', 'session'], tag: 'Vulnerabilities' } as const;
const vulnerability = { id: Int({ description: 'Id of the vulnerability' }) };

const reasons: Readonly<Record<Refusal, string>> = {
  linked: 'Issue has already been linked to another vulnerability',
  created: 'Vulnerability already has a "created" issue link',
};

export function vulnerabilityIssueLinkRoutes({ db, parents, issues }: IssueLinkDependencies): Route[] {
  const find = (id: number, caller: Caller, ability: 'read_vulnerability' | 'admin_vulnerability_issue_link') =>
    requireVulnerability(db, parents, id, caller, ability);

  /** 404 where the caller does not see the issue: the link says nothing of it then. */
  async function linkJson(found: FoundVulnerability, link: IssueLinkRow, caller: Caller) {
    const [shown, issue] = await Promise.all([
      presentVulnerability(db, found),
      issues.shown([link.issue_id], caller, found.row.project_id).then((map) => map.get(link.issue_id)),
    ]);
    if (!issue) throw notFound('IssueLink');
    return issueLinkJson(link, shown, issue);
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/vulnerabilities/:id/issue_links',
      summary: 'List issues that a vulnerability is linked to',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object(vulnerability),
      pagination: 'offset',
      responses: { 200: ListOf(VulnerabilityRelatedIssueEntity) },
      handler: async ({ params, caller, page }) => {
        const { row } = await find(params.id, caller, 'read_vulnerability');
        const links = await linksOf(db, row.id);
        const ids = links.map(({ issue_id }) => issue_id);
        const shown = await issues.shown(ids, caller, row.project_id);
        const seen = links.flatMap((link) => {
          const issue = shown.get(link.issue_id);
          return issue ? [{ issue, link }] : [];
        });
        return mapPage(slicePage(page, seen), ({ issue, link }) => relatedIssueJson(issue, link));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/vulnerabilities/:id/issue_links',
      summary: 'Link a vulnerability to an issue',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({
        ...vulnerability,
        target_issue_iid: Int({ description: 'Number of the issue within its project' }),
        target_project_id: Optional(
          Str({
            maxLength: 1000,
            description: 'Id or path of the project of the issue; that of the vulnerability without it',
          }),
        ),
        link_type: Optional(
          OneOf(linkTypes, {
            default: 'related',
            description: '`created` for the issue that was created from the vulnerability: at most one',
          }),
        ),
      }),
      responses: { 201: VulnerabilityIssueLinkEntity },
      errors: [422],
      handler: async (context) => {
        const { params, caller } = context;
        const found = await find(params.id, caller, 'admin_vulnerability_issue_link');
        const project = params.target_project_id ?? String(found.row.project_id);
        const issue = await issues.numbered(project, params.target_issue_iid, caller);
        if (!issue) throw recordNotFound();
        const link = await transaction(db, async (tx) => {
          const made = await insertLink(tx, found.row.id, issue.id, params.link_type ?? 'related');
          if (typeof made === 'string') throw unprocessable(reasons[made]);
          await tellVulnerability(tx, 'updated', found, caller);
          await auditVulnerability(tx, found, 'vulnerability_issue_linked', context, { issue_id: issue.id });
          return made;
        });
        return await linkJson(found, link, caller);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/vulnerabilities/:id/issue_links/:issue_link_id',
      summary: 'Delete a link between a vulnerability and an issue',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({ ...vulnerability, issue_link_id: Int({ description: 'Id of the link' }) }),
      responses: { 200: VulnerabilityIssueLinkEntity },
      conditional: true,
      handler: async (context) => {
        const { params, caller, unmodifiedSince } = context;
        const found = await find(params.id, caller, 'admin_vulnerability_issue_link');
        const link = await findLink(db, found.row.id, params.issue_link_id);
        if (!link) throw notFound('IssueLink');
        unmodifiedSince(link.updated_at);
        const shown = await linkJson(found, link, caller);
        await transaction(db, async (tx) => {
          if (!(await deleteLink(tx, link.id))) throw notFound('IssueLink');
          const details = { issue_id: link.issue_id };
          await auditVulnerability(tx, found, 'vulnerability_issue_unlinked', context, details);
        });
        return shown;
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/related_vulnerabilities',
      summary: 'List vulnerabilities that an issue is linked to',
      access: { on: 'project', ability: 'read_issue' },
      params: Type.Object({
        id: IdOrPath('Id or path of the project'),
        issue_iid: Int({ description: 'Number of the issue within its project' }),
      }),
      pagination: 'offset',
      acrossProjects: true,
      responses: { 200: ListOf(VulnerabilityEntity) },
      handler: async ({ params, subject, caller, page }) => {
        const issue = await issues.numbered(String(subject.project.id), params.issue_iid, caller);
        if (!issue) throw recordNotFound();
        const rows = await vulnerabilitiesOf(db, issue.id);
        const subjects = await parents.projects([...new Set(rows.map(({ project_id }) => project_id))], caller);
        const seen = rows.flatMap((row) => {
          const place = subjects.get(row.project_id);
          return place && canOnProject(caller, 'read_vulnerability', place) ? [{ row, place }] : [];
        });
        const paged = slicePage(page, seen);
        const findings = await findingsOf(
          db,
          paged.items.map(({ row }) => row.id),
        );
        return mapPage(paged, ({ row, place }) => vulnerabilityJson(row, findings.get(row.id), place));
      },
    }),
  ];
}
