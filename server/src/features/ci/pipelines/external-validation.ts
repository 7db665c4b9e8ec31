/**
 * A service of the instance's administrators that is sent every new pipeline and may reject it. 406 rejects; every other
 * answer, and none, accepts: an outage of the service must not stop all CI.
 */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { CiDependencies } from '../deps.ts';
import type { NewJob } from './pipelines.queries.ts';

export interface Validated {
  readonly subject: ProjectSubject;
  readonly user: User | null;
  readonly sha: string;
  /** Short name of the branch or tag. */
  readonly ref: string;
  readonly source: string;
  readonly jobs: readonly NewJob[];
}

const rejected = 406;
const defaultSeconds = 5;

function payloadOf({ subject: { project, namespace }, user, sha, ref, source, jobs }: Validated) {
  const builds = jobs.filter(({ kind }) => kind === 'job');
  return {
    total_builds_count: builds.length,
    project: {
      id: project.id,
      path: `${namespace.full_path}/${project.path}`,
      created_at: project.created_at,
      shared_runners_enabled: project.shared_runners_enabled,
      group_runners_enabled: project.group_runners_enabled,
    },
    user: user && {
      ...{ id: user.id, username: user.username, email: user.email, created_at: user.created_at },
      current_sign_in_ip: user.current_sign_in_ip,
      last_sign_in_ip: user.last_sign_in_ip,
      sign_in_count: user.sign_in_count,
    },
    pipeline: { sha, ref, type: source },
    builds: builds.map(({ name, stage, plan }) => ({
      ...{ name, stage, image: plan.image?.name ?? null },
      services: plan.services.map((service) => (service as { name: string }).name),
      script: [...plan.script, ...plan.after_script],
    })),
    namespace: { plan: 'ultimate', trial: false },
  };
}

/** Whether the service of the instance, where there is one, lets the pipeline be created. */
export async function externallyAccepted(
  deps: Pick<CiDependencies, 'settings' | 'outbound' | 'log'>,
  pipeline: Validated,
): Promise<boolean> {
  const {
    external_pipeline_validation_service_url: url,
    external_pipeline_validation_service_token: token,
    external_pipeline_validation_service_timeout: seconds,
  } = await deps.settings.read();
  if (url === null) return true;
  const answer = await deps.outbound.send({
    ...{ url, kind: 'service', method: 'POST', timeout: (seconds ?? defaultSeconds) * 1000, maximumBytes: 64 * 1024 },
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'Millrace',
      ...(token === null ? {} : { [`${headerPrefix}Token`]: token }),
    },
    body: JSON.stringify(payloadOf(pipeline)),
  });
  if (answer.ok && answer.status === rejected) return false;
  if (!answer.ok || answer.status !== 200) {
    const why = answer.ok ? `status ${answer.status}` : answer.message;
    deps.log.warn({ project_id: pipeline.subject.project.id, why }, 'the pipeline validation service gave no verdict');
  }
  return true;
}
