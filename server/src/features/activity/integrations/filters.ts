/** Which of the events that an integration has switches for it is told of: by branch, by labels, and by how pipelines ended. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Integration } from '../../../kernel/db/rows.ts';
import type { WebhookDependencies } from '../webhook-payloads/index.ts';
import { definitionOf } from './definitions.ts';
import { statusBefore } from './integrations.queries.ts';
import type { IntegrationValues } from './settings.ts';

interface FilterDependencies {
  readonly db: Db;
  readonly webhooks: Pick<WebhookDependencies, 'project' | 'repository'>;
}

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Titles of the labels of the issue or merge request that an event is about; null for other events. */
function labelsOf(payload: Json): readonly string[] | null {
  if (!['issue', 'merge_request', 'note'].includes(String(payload.object_kind))) return null;
  const own = payload.labels ?? object(payload.issue).labels ?? object(payload.merge_request).labels;
  return list(own ?? object(payload.object_attributes).labels).map((label) => String(object(label).title));
}

function wantsLabels(values: IntegrationValues, payload: Json): boolean {
  const wanted = String(values.labels_to_be_notified ?? '')
    .replaceAll('~', '')
    .split(',')
    .map((title) => title.trim())
    .filter((title) => title !== '');
  const labels = wanted.length === 0 ? null : labelsOf(payload);
  if (labels === null) return true;
  const among = (title: string) => labels.includes(title);
  return values.labels_to_be_notified_behavior === 'match_all' ? wanted.every(among) : wanted.some(among);
}

/** The branch that an event is about, null for what has none. Tags count as one only where `tags` says so. */
function branchOf(payload: Json, tags: boolean): string | null {
  if (!['push', 'pipeline', 'deployment'].includes(String(payload.object_kind))) return null;
  const pipeline = payload.object_kind === 'pipeline' ? object(payload.object_attributes) : null;
  if (pipeline?.tag === true && !tags) return null;
  const ref = String((pipeline ?? payload).ref ?? '');
  return ref === '' ? null : ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
}

export function integrationFilters({ db, webhooks }: FilterDependencies) {
  async function wantsBranch(row: Integration, values: IntegrationValues, projectId: number, payload: Json) {
    const field = definitionOf(row.slug)?.fields.find(({ name }) => name === 'branches_to_be_notified');
    // Mails about pipelines are about those of branches alone, unless all are wanted.
    const ref = branchOf(payload, row.slug === 'pipelines-email');
    if (!field || ref === null) return true;
    const which =
      values.notify_only_default_branch === true ? 'default' : String(values.branches_to_be_notified ?? field.fallback);
    if (which === 'all') return true;
    if (object(payload.object_attributes).tag === true) return false;
    const subject = await webhooks.project(projectId);
    if (!subject) return false;
    // Deployments name tags like branches.
    const name = ref.replace(/^refs\/heads\//, '');
    if (payload.object_kind === 'deployment' && (await webhooks.repository.resolve(subject, `refs/tags/${name}`)))
      return true;
    const isDefault = ref === `refs/heads/${subject.project.default_branch}`;
    if (which === 'default') return isDefault;
    const isProtected = await webhooks.repository.isProtected(subject, ref);
    return which === 'protected' ? isProtected : isDefault || isProtected;
  }

  async function pipelineRefusal(values: IntegrationValues, projectId: number, payload: Json): Promise<string | null> {
    if (payload.object_kind !== 'pipeline') return null;
    const { id, ref, status, source } = object(payload.object_attributes);
    if (status !== 'failed' && status !== 'success') return 'Only pipelines that passed or failed are sent';
    if (values.notify_only_broken_pipelines === true && status !== 'failed') return 'Only failed pipelines are sent';
    if (values.notify_child_pipelines === false && source === 'parent_pipeline') return 'Child pipelines are not sent';
    if (values.notify_only_when_pipeline_status_changes !== true) return null;
    const before = await statusBefore(db, projectId, String(ref), Number(id));
    return before !== undefined && before !== status ? null : 'Only pipelines whose status changed are sent';
  }

  /** Why the integration is not told of an event; null where it is. */
  return async (
    row: Integration,
    projectId: number,
    values: IntegrationValues,
    payload: Json,
  ): Promise<string | null> => {
    if (row.slug === 'jira' || row.slug === 'jenkins') return null;
    if (!wantsLabels(values, payload)) return 'The labels are not those that are sent';
    if (!(await wantsBranch(row, values, projectId, payload))) return 'The branch is not one that is sent';
    return await pipelineRefusal(values, projectId, payload);
  };
}
