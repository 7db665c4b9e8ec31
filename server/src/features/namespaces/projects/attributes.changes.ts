/** Parameters of attributes to the columns that keep them. */
import { parseDuration } from '@millrace/ci-config';
import Type, { type Static } from 'typebox';
import type { Project } from '../../../kernel/db/rows.ts';
import { invalidRecord } from '../../../kernel/http/errors.ts';
import { administratorAttributes, attributeParameters, columnParameters } from './attributes.params.ts';
import type { ProjectChanges } from './projects.queries.ts';

const attributesObject = Type.Object(attributeParameters);
export type Attributes = Static<typeof attributesObject>;

const switches = {
  issues_enabled: 'issues_access_level',
  merge_requests_enabled: 'merge_requests_access_level',
  jobs_enabled: 'builds_access_level',
  wiki_enabled: 'wiki_access_level',
  snippets_enabled: 'snippets_access_level',
  packages_enabled: 'package_registry_access_level',
  container_registry_enabled: 'container_registry_access_level',
} as const;

const cleanTopics = (topics: readonly string[]) => [
  ...new Map(
    topics.flatMap((topic) => (topic.trim() === '' ? [] : [[topic.trim().toLowerCase(), topic.trim()]])),
  ).values(),
];

type Policy = NonNullable<Attributes['container_expiration_policy_attributes']>;

/** The policy with what the parameters change in it. */
function policyWith(before: unknown, given: Policy): string {
  const { name_regex_delete, ...rest } = given;
  const changed = name_regex_delete === undefined ? rest : { ...rest, name_regex: name_regex_delete };
  return JSON.stringify({ ...(before as object), ...changed });
}

const defaultPolicy = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
};

function checkClaims(claims: readonly string[] | undefined): void {
  if (claims !== undefined && claims[0] !== 'project_path')
    throw invalidRecord({ ci_id_token_sub_claim_components: ['project_path needs to be the first element'] });
}

/** Pipelines are kept for no longer than the instance says; a project that says nothing keeps them. */
export function checkLifeOfPipelines(
  { ci_delete_pipelines_in_seconds: wanted }: Attributes,
  limit: string | null,
): void {
  const most = limit === null ? null : parseDuration(limit);
  if (wanted == null || most === null || wanted <= most) return;
  throw invalidRecord({ ci_delete_pipelines_in_seconds: [`must be at most ${limit} (${most} seconds)`] });
}

/** The columns that the parameters set; picture, visibility and default branch are the caller's to check. */
export function changesOf(
  params: Attributes,
  { admin }: { readonly admin: boolean },
  before?: Project,
): ProjectChanges {
  const changes: Record<string, unknown> = {};
  for (const key of Object.keys(columnParameters)) {
    const value = params[key as keyof typeof columnParameters];
    if (value !== undefined) changes[key] = value;
  }
  if (!admin) for (const name of administratorAttributes) delete changes[name];
  for (const [old, column] of Object.entries(switches)) {
    const value = params[old as keyof typeof switches];
    if (value !== undefined && changes[column] === undefined) changes[column] = value ? 'enabled' : 'disabled';
  }
  const topics = params.topics ?? params.tag_list;
  if (topics) changes.topics = cleanTopics(topics);
  const publicJobs = params.public_jobs ?? params.public_builds;
  if (publicJobs !== undefined) changes.public_jobs = publicJobs;
  if (params.emails_disabled !== undefined && changes.emails_enabled === undefined)
    changes.emails_enabled = !params.emails_disabled;
  if (params.auto_cancel_pending_pipelines !== undefined)
    changes.auto_cancel_pending_pipelines = params.auto_cancel_pending_pipelines === 'enabled';
  const restricted = params.restrict_user_defined_variables;
  if (restricted !== undefined && changes.ci_pipeline_variables_minimum_override_role === undefined)
    changes.ci_pipeline_variables_minimum_override_role = restricted ? 'maintainer' : 'developer';
  checkClaims(params.ci_id_token_sub_claim_components);
  if (params.container_expiration_policy_attributes)
    changes.container_expiration_policy = policyWith(
      before?.container_expiration_policy ?? defaultPolicy,
      params.container_expiration_policy_attributes,
    );
  return changes as ProjectChanges;
}
