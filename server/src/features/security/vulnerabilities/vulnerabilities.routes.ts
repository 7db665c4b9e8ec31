/** Routes of vulnerabilities: what scanners found, and what people decide about it. */
import Type from 'typebox';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, List, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { type Answer, answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { confidences, reportTypes, severities } from '../reports/report.ts';
import { roomForVulnerabilities } from '../reports/reports.queries.ts';
import { comparisonRoute } from './comparison.routes.ts';
import {
  auditVulnerability,
  type FoundVulnerability,
  presentVulnerability,
  requireVulnerability,
  tellVulnerability,
} from './finding.ts';
import { reportRoutes } from './report.routes.ts';
import { trendRoute } from './trend.routes.ts';
import { ListedFindingEntity, listedFindingJson, VulnerabilityEntity } from './vulnerabilities.entity.ts';
import {
  createFrom,
  type DecidedState,
  latestScannedPipeline,
  listFindings,
  lockFreeFinding,
  setState,
  type VulnerabilityRow,
} from './vulnerabilities.queries.ts';

export interface VulnerabilityRouteDependencies {
  readonly db: Db;
  readonly parents: ParentLoader;
  readonly settings: Settings;
}

const common = { credentials: ['token', 'session'], tag: 'Vulnerabilities' } as const;
const read = { on: 'project', ability: 'read_vulnerability' } as const;
const admin = { on: 'project', ability: 'admin_vulnerability' } as const;
const id = IdOrPath('Id or path of the project');
const vulnerabilityId = Int({ description: 'Id of the vulnerability' });

const limitName = 'max_number_of_vulnerabilities_per_project';

type Context = Parameters<typeof auditVulnerability>[3];

/** What people decide, and the word for it in audit events. */
const decisions = [
  { action: 'confirm', state: 'confirmed', summary: 'Confirm a vulnerability' },
  { action: 'resolve', state: 'resolved', summary: 'Mark a vulnerability as resolved' },
  { action: 'dismiss', state: 'dismissed', summary: 'Dismiss a vulnerability' },
  { action: 'revert', state: 'detected', summary: 'Revert the state of a vulnerability' },
] as const satisfies readonly { action: string; state: DecidedState; summary: string }[];

export function vulnerabilityRoutes({ db, parents, settings }: VulnerabilityRouteDependencies): Route[] {
  const present = (row: VulnerabilityRow, subject: ProjectSubject) => presentVulnerability(db, { row, subject });
  const find = (number: number, caller: Caller, ability: ProjectAbility) =>
    requireVulnerability(db, parents, number, caller, ability);
  async function record(tx: Db, found: FoundVulnerability, event: string, context: Context) {
    await tellVulnerability(tx, event === 'vulnerability_created' ? 'created' : 'updated', found, context.caller);
    await auditVulnerability(tx, found, event, context);
  }

  return [
    comparisonRoute(db),
    trendRoute(db),
    ...reportRoutes(db),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/vulnerabilities',
      summary: 'Create a vulnerability from a finding',
      access: admin,
      params: Type.Object({ id, finding_id: IdOrPath('Id or UUID of the finding') }),
      responses: { 201: VulnerabilityEntity },
      handler: async (context) => {
        const { subject, params, caller } = context;
        const { max_number_of_vulnerabilities_per_project: most } = await settings.read();
        const row = await transaction(db, async (tx) => {
          if (most !== null && (await roomForVulnerabilities(tx, subject.project.id, most)) === 0)
            throw invalidRecord({
              base: [`maximum number of vulnerabilities of the project reached (${limitName}: ${most})`],
            });
          const finding = await lockFreeFinding(tx, subject.project.id, params.finding_id);
          if (!finding)
            throw invalidRecord({ base: ['finding is not found or is already attached to another vulnerability'] });
          const made = await createFrom(tx, finding, caller.user?.id ?? null);
          await record(tx, { row: made, subject }, 'vulnerability_created', context);
          return made;
        });
        return await present(row, subject);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/vulnerability_findings',
      summary: 'List vulnerability findings of a pipeline',
      access: read,
      params: Type.Object({
        id,
        pipeline_id: Optional(
          Int({ description: 'Of the pipeline; the latest with reports of the default branch without it' }),
        ),
        report_type: Optional(List(OneOf(reportTypes), { commas: true, description: 'Kinds of reports' })),
        severity: Optional(List(OneOf(severities), { commas: true, description: 'Severities' })),
        confidence: Optional(List(OneOf(confidences), { commas: true, description: 'Confidences' })),
        scope: Optional(
          OneOf(['all', 'dismissed'], {
            default: 'dismissed',
            description: '`dismissed` leaves out those whose vulnerability is dismissed',
          }),
        ),
      }),
      pagination: 'offset',
      responses: { 200: ListOf(ListedFindingEntity) },
      handler: async ({ subject, params, page }) => {
        const { id: projectId } = subject.project;
        const pipelineId = params.pipeline_id ?? (await latestScannedPipeline(db, projectId)) ?? 0;
        const filter = {
          projectId,
          pipelineId,
          reportTypes: params.report_type ?? [],
          severities: params.severity ?? [],
          confidences: params.confidence ?? [],
          all: params.scope === 'all',
        };
        const { rows, total } = await listFindings(db, filter, page);
        return mapPage(offsetPage(page, rows, total), (row) => listedFindingJson(row, subject));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/vulnerabilities/:id',
      summary: 'Get a vulnerability',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({ id: vulnerabilityId }),
      responses: { 200: VulnerabilityEntity },
      handler: async ({ params, caller }) => {
        const { row, subject } = await find(params.id, caller, 'read_vulnerability');
        return await present(row, subject);
      },
    }),
    ...decisions.map(({ action, state, summary }) =>
      route({
        ...common,
        method: 'POST',
        path: `/vulnerabilities/:id/${action}`,
        summary,
        access: { on: 'instance', ability: 'signed_in' },
        params: Type.Object({ id: vulnerabilityId }),
        responses: { 201: VulnerabilityEntity, 304: Empty },
        handler: async (context): Promise<Answer | Awaited<ReturnType<typeof present>>> => {
          const { params, caller } = context;
          const { row, subject } = await find(params.id, caller, 'admin_vulnerability');
          const changed = await transaction(db, async (tx) => {
            const set = await setState(tx, row.id, state, caller.user?.id ?? null);
            if (set) await record(tx, { row: set, subject }, `vulnerability_${state}`, context);
            return set;
          });
          return changed ? await present(changed, subject) : answer(304);
        },
      }),
    ),
  ];
}
