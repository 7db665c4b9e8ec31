/** Lists of vulnerabilities of a project, a group and the instance, and the same as a file. */
import { Readable } from 'node:stream';
import Type, { type Static } from 'typebox';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, List, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { Binary, type Route, route, streamed } from '../../../kernel/http/route.ts';
import { findProjectSubjects } from '../../namespaces/index.ts';
import { reportTypes, severities } from '../reports/report.ts';
import { reportFile } from './report-file.ts';
import { VulnerabilityEntity, vulnerabilityJson } from './vulnerabilities.entity.ts';
import { findingsOf, listVulnerabilities, type ReportPlace, type VulnerabilityRow } from './vulnerabilities.queries.ts';

const common = { method: 'GET', credentials: ['token', 'session'], tag: 'Vulnerabilities' } as const;
const states = ['detected', 'opened', 'confirmed', 'resolved', 'dismissed'] as const;

const filters = {
  state: Optional(List(OneOf(states), { commas: true, description: 'States' })),
  severity: Optional(List(OneOf(severities), { commas: true, description: 'Severities' })),
  report_type: Optional(List(OneOf(reportTypes), { commas: true, description: 'Kinds of reports' })),
};
const projects = {
  project_id: Optional(List(Int(), { commas: true, maxItems: 100, description: 'Ids of projects' })),
};
const order = {
  order_by: Optional(OneOf(['id', 'severity'], { default: 'id', description: 'The newest first, or the worst' })),
};

const places = [
  {
    access: { on: 'project', ability: 'read_vulnerability' },
    base: '/projects/:id/vulnerabilities',
    parent: { id: IdOrPath('Id or path of the project'), ...filters },
    of: 'of a project',
    across: false,
  },
  {
    access: { on: 'group', ability: 'read_group' },
    base: '/groups/:id/vulnerabilities',
    parent: { id: IdOrPath('Id or path of the group'), ...projects, ...filters },
    of: 'of the projects of a group that the caller may read',
    across: true,
  },
  {
    access: { on: 'instance', ability: 'signed_in' },
    base: '/vulnerabilities',
    parent: { ...projects, ...filters },
    of: 'of all projects that the caller may read',
    across: true,
  },
] as const;

const FilterParams = Type.Object({ ...projects, ...filters });

function filterOf({ project_id: projectIds, state, severity, report_type: types }: Static<typeof FilterParams>) {
  return {
    projectIds: projectIds ?? [],
    states: state ?? [],
    severities: severity ?? [],
    reportTypes: types ?? [],
  };
}

function placeOf(subject: ProjectSubject | GroupSubject | undefined, caller: Caller): ReportPlace {
  if (!subject) return { kind: 'instance', caller };
  return subject.kind === 'project'
    ? { kind: 'project', id: subject.project.id }
    : { kind: 'group', id: subject.group.id, caller };
}

export function reportRoutes(db: Db): Route[] {
  async function presented(rows: readonly VulnerabilityRow[], subject: ProjectSubject | GroupSubject | undefined) {
    const [findings, subjects] = await Promise.all([
      findingsOf(
        db,
        rows.map(({ id }) => id),
      ),
      subject?.kind === 'project'
        ? new Map([[subject.project.id, subject]])
        : findProjectSubjects(db, [...new Set(rows.map((row) => row.project_id))], null),
    ]);
    // A project that went meanwhile takes its vulnerabilities along.
    return rows.flatMap((row) => {
      const project = subjects.get(row.project_id);
      return project ? [vulnerabilityJson(row, findings.get(row.id), project)] : [];
    });
  }

  return places.flatMap(({ access, base, parent, of, across }) => {
    const each = { ...common, access, ...(across ? { acrossProjects: true as const } : {}) };
    return [
      route({
        ...each,
        path: base,
        summary: `List vulnerabilities ${of}`,
        params: Type.Object({ ...parent, ...order }),
        pagination: 'offset',
        responses: { 200: ListOf(VulnerabilityEntity) },
        handler: async ({ subject, params, page, caller }) => {
          const sorted = params.order_by === 'severity' ? 'severity' : 'newest';
          const filter = { ...filterOf(params), order: sorted } as const;
          const { rows, total } = await listVulnerabilities(db, placeOf(subject, caller), filter, page);
          return offsetPage(page, await presented(rows, subject), total);
        },
      }),
      route({
        ...each,
        path: `${base}/csv`,
        summary: `Export vulnerabilities ${of} as CSV`,
        params: Type.Object(parent),
        media: ['text/csv'],
        responses: { 200: Binary },
        handler: async ({ subject, params, caller, signal }) => {
          const lines = reportFile(db, placeOf(subject, caller), filterOf(params), signal);
          const day = new Date().toISOString().slice(0, 10);
          return streamed(Readable.from(lines), 'text/csv; charset=utf-8', {
            'Content-Disposition': `attachment; filename="vulnerabilities_${day}.csv"`,
          });
        },
      }),
    ];
  });
}
