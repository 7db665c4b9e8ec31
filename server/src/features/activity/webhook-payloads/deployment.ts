/** Payloads of deployments. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Deployment, Environment, User } from '../../../kernel/db/rows.ts';
import { dateText, personPart, projectPart, type Urls, webUrlOf } from '../../review/messages/index.ts';
import type { HookRepository } from './push.ts';

export async function deploymentPayload(
  deps: { readonly repository: HookRepository; readonly urls: Urls },
  subject: ProjectSubject,
  { deployment, environment, user }: { deployment: Deployment; environment: Environment; user: User | null },
  change: { readonly status: string; readonly changed_at: string },
) {
  const webUrl = webUrlOf(subject, deps.urls);
  const { id, sha, ref, job_id: jobId } = deployment;
  const commit = await deps.repository.commit(subject, sha);
  return {
    object_kind: 'deployment',
    status: change.status,
    status_changed_at: dateText(new Date(change.changed_at)),
    deployment_id: id,
    deployable_id: jobId,
    deployable_url: jobId === null ? null : `${webUrl}/-/jobs/${jobId}`,
    environment: environment.name,
    environment_tier: environment.tier,
    environment_slug: environment.slug,
    environment_external_url: environment.external_url,
    project: projectPart(subject, deps.urls),
    ref,
    short_sha: sha.slice(0, 8),
    user: personPart(user, deps.urls),
    user_url: user && `${deps.urls.externalUrl}/${user.username}`,
    commit_url: `${webUrl}/-/commit/${sha}`,
    commit_title: commit?.title ?? null,
  };
}
