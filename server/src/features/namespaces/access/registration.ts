/** The token with which runners register, as projects and groups answer it. */
import { canOnGroup, canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { NamespacesDependencies } from '../deps.ts';

/** Whether the credential could also reset the token: one that only reads must not come by a runner. */
const mayRegister = ({ credential, scopes }: Caller): boolean =>
  credential.kind !== 'job' && (scopes === null || scopes.has('api'));

/** For those who administer the runners; null for everybody else, and while runners do not register with tokens. */
export async function runnersTokenFor(
  { runnersTokens }: Pick<NamespacesDependencies, 'runnersTokens'>,
  subject: ProjectSubject | GroupSubject,
  caller: Caller,
): Promise<string | null> {
  if (!mayRegister(caller)) return null;
  if (subject.kind === 'project')
    return canOnProject(caller, 'admin_runner', subject)
      ? await runnersTokens.of({ namespaceId: null, projectId: subject.project.id })
      : null;
  return canOnGroup(caller, 'admin_group_runner', subject)
    ? await runnersTokens.of({ namespaceId: subject.group.id, projectId: null })
    : null;
}
