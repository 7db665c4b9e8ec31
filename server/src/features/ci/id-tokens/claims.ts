/** What an ID token says of its job. Pure; everything that others decide on is a text, as in the ecosystem. */
import type { Job, Namespace, Project, Runner } from '../../../kernel/db/rows.ts';
import type { PayloadRows } from '../jobs/context.queries.ts';
import type { JobEnvironment } from '../ports.ts';
import { fullPath } from '../variables/predefined.ts';

/** Seconds that clocks of others may be behind. */
const leeway = 5;

export interface ClaimFacts {
  readonly issuer: string;
  readonly audience: string | readonly string[];
  readonly rows: PayloadRows;
  /** Where what is built comes from: of a merge request its source, which may be a fork. */
  readonly source: { readonly project: Project; readonly namespace: Namespace; readonly ref: string };
  readonly job: Job;
  readonly runner: Pick<Runner, 'id' | 'runner_type'>;
  readonly environment: (JobEnvironment & { readonly protected: boolean }) | null;
  /** What the job's user is in the project of the source. */
  readonly level: number;
  /** The accounts at other services that the user wants to be known; null for none. */
  readonly identities: ReadonlyArray<{ readonly provider: string; readonly extern_uid: string }> | null;
  /** Null when the configuration is of another project, or at an address. */
  readonly configPath: string | null;
  readonly timeoutSeconds: number;
  readonly now: number;
  readonly id: string;
}

const levels = [
  [50, 'owner'],
  [40, 'maintainer'],
  [30, 'developer'],
  [20, 'reporter'],
  [15, 'planner'],
  [10, 'guest'],
] as const;

export function claimsOf(facts: ClaimFacts): Record<string, unknown> {
  const { rows, source, job, environment, runner } = facts;
  const { project, namespace, pipeline, user } = rows;
  const path = fullPath(rows);
  const refType = job.tag ? 'tag' : 'branch';
  const refPath = source.ref.startsWith('refs/') ? source.ref : `refs/${job.tag ? 'tags' : 'heads'}/${source.ref}`;
  const claims = {
    namespace_id: String(source.namespace.id),
    namespace_path: source.namespace.full_path,
    project_id: String(source.project.id),
    project_path: fullPath(source),
    project_visibility: project.visibility,
    user_id: user === null ? '' : String(user.id),
    user_login: user?.username ?? '',
    user_email: user?.email ?? '',
    user_access_level: levels.find(([least]) => facts.level >= least)?.[1] ?? '',
    job_namespace_id: String(namespace.id),
    job_namespace_path: namespace.full_path,
    job_project_id: String(project.id),
    job_project_path: path,
    pipeline_id: String(pipeline.id),
    pipeline_source: pipeline.source,
    job_id: String(job.id),
    ref: source.ref,
    ref_type: refType,
    ref_path: refPath,
    ref_protected: String(job.ref_protected),
    runner_id: runner.id,
    runner_environment: 'self-hosted',
    sha: pipeline.sha,
    ...(facts.identities ? { user_identities: facts.identities } : {}),
    ...(facts.configPath === null
      ? {}
      : {
          ci_config_ref_uri: `${new URL(facts.issuer).host}/${path}//${facts.configPath}@${refPath}`,
          ci_config_sha: pipeline.sha,
        }),
    ...(environment
      ? {
          environment: environment.name,
          environment_protected: String(environment.protected),
          environment_action: environment.action,
          deployment_tier: environment.tier,
        }
      : {}),
  };
  return {
    ...claims,
    iss: facts.issuer,
    sub: subjectOf(project.ci_id_token_sub_claim_components, claims),
    aud: facts.audience,
    jti: facts.id,
    iat: facts.now,
    nbf: facts.now - leeway,
    exp: facts.now + facts.timeoutSeconds,
  };
}

/** `project_path:group/project:ref_type:branch:ref:main`, of the parts that the project chose. */
function subjectOf(components: readonly string[], claims: Readonly<Record<string, unknown>>): string {
  const parts = components.filter((name) => claims[name] !== undefined);
  return parts.map((name) => `${name}:${String(claims[name])}`).join(':');
}
