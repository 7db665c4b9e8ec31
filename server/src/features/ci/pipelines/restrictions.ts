/** What a project lets only some of its developers do with pipelines. */
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';

/** No role reaches it. */
const nobody = 60;

const overriding = {
  no_one_allowed: nobody,
  developer: Level.developer,
  maintainer: Level.maintainer,
  owner: Level.owner,
} as const;
const cancelling = { no_one: nobody, developer: Level.developer, maintainer: Level.maintainer } as const;

/** Administrators stand where owners do. */
const levelOf = (caller: Caller, subject: ProjectSubject) => (caller.admin ? Level.owner : subject.level);

/** Whether the caller may give variables to a new pipeline. */
export const mayGiveVariables = (caller: Caller, subject: ProjectSubject): boolean =>
  levelOf(caller, subject) >= overriding[subject.project.ci_pipeline_variables_minimum_override_role];

/** Whether the caller may cancel pipelines and jobs. */
export const mayCancel = (caller: Caller, subject: ProjectSubject): boolean =>
  levelOf(caller, subject) >= cancelling[subject.project.ci_restrict_pipeline_cancellation_role];
