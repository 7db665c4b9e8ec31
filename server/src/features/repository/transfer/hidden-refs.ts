/** Refs that a caller does not see, although they read the code: they tell of what is closed to them. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';

const isJobOf = ({ credential }: Caller, { project }: ProjectSubject): boolean =>
  credential.kind === 'job' && credential.job.project_id === project.id;

export function hiddenRefs(subject: ProjectSubject, caller: Caller): string[] {
  // A job fetches the ref of its own pipeline, whatever has become of its person's role.
  const pipelines = canOnProject(caller, 'read_pipeline', subject) || isJobOf(caller, subject);
  return [
    ...(canOnProject(caller, 'read_merge_request', subject) ? [] : ['refs/merge-requests']),
    ...(pipelines ? [] : ['refs/pipelines', 'refs/environments']),
  ];
}
