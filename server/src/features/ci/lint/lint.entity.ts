/** The verdict on a configuration. */
import type { IncludedFile, IncludeSource, InputDeclaration, Plan, PlanJob, YamlVariable } from '@millrace/ci-config';
import type { Static } from 'typebox';
import {
  AnyJson,
  Entity,
  Fields,
  Flag,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
} from '../../../kernel/http/entity.ts';

export const DeclaredInput = Fields({
  name: Text(),
  type: Text({ description: '`string`, `number`, `boolean` or `array`' }),
  description: Nullable(Text()),
  required: Flag({ description: 'Whether a value must be given' }),
  default: AnyJson({ description: 'The value where none is given; null for none' }),
  options: Nullable(ListOf(AnyJson())),
  regex: Nullable(Text({ description: 'What a string must match' })),
});

export const LintResult = Entity('LintResult', {
  valid: Flag({ description: 'Whether a pipeline could be made of it' }),
  errors: ListOf(Text()),
  warnings: ListOf(Text()),
  merged_yaml: Nullable(Text({ description: 'With includes, `extends` and references applied' })),
  includes: ListOf(
    Fields({
      type: Text(),
      location: Text(),
      blob: Nullable(Text()),
      raw: Nullable(Text({ description: 'Address of its text' })),
      extra: MapOf(Text()),
      context_project: Text(),
      context_sha: Text(),
    }),
  ),
  jobs: Sometimes(
    ListOf(
      Fields({
        name: Text(),
        stage: Text(),
        before_script: ListOf(Text()),
        script: ListOf(Text()),
        after_script: ListOf(Text()),
        tag_list: ListOf(Text()),
        environment: Nullable(Text()),
        when: Text(),
        allow_failure: Flag({ description: 'Whether the pipeline goes on when it fails' }),
        needs: Nullable(ListOf(Fields({ name: Text() }))),
      }),
    ),
  ),
  inputs: Sometimes(ListOf(DeclaredInput)),
  variables: Sometimes(
    ListOf(
      Fields({
        key: Text(),
        value: Text({ description: 'Its value where none is given' }),
        description: Text(),
        options: Nullable(ListOf(Text(), { description: 'Values to choose from' })),
      }),
    ),
  ),
});
export type LintJson = Static<typeof LintResult>;

interface LintPlace {
  /** Start of the addresses of the project's pages. */
  readonly page: string;
  readonly project: string;
  readonly sha: string;
}

/** A file that was included: of the project itself with its addresses, others by what they are called. */
export function lintInclude(
  { path, component }: IncludedFile,
  source: IncludeSource | null,
  { page, project, sha }: LintPlace,
): LintJson['includes'][number] {
  const common = { blob: null, raw: null, extra: {}, context_project: project, context_sha: sha };
  switch (source?.kind) {
    case undefined:
      return {
        ...common,
        type: 'local',
        location: path,
        blob: `${page}/blob/${sha}/${path}`,
        raw: `${page}/raw/${sha}/${path}`,
      };
    case 'project':
      return {
        ...common,
        type: 'file',
        location: path,
        extra: { project: source.project, ...(source.ref === null ? {} : { ref: source.ref }) },
      };
    case 'artifact':
      return { ...common, type: 'artifact', location: path, extra: { job: source.job } };
    case 'remote':
      return { ...common, type: 'remote', location: source.shown };
    case 'template':
      return { ...common, type: 'template', location: path };
    case 'component':
      return { ...common, type: 'component', location: component?.address ?? path };
  }
}

const lintJob = (job: PlanJob): NonNullable<LintJson['jobs']>[number] => ({
  name: job.name,
  stage: job.stage,
  before_script: [...job.beforeScript],
  script: [...job.script],
  after_script: [...job.afterScript],
  tag_list: [...job.tags],
  environment: job.environment?.name ?? null,
  when: job.when,
  allow_failure: job.allowFailure,
  needs: job.needs === null ? null : job.needs.map((need) => ({ name: need.job })),
});

/** Stage by stage. */
export const lintJobs = ({ jobs }: Plan): NonNullable<LintJson['jobs']> =>
  [...jobs].sort((a, b) => a.stageIndex - b.stageIndex).map(lintJob);

export const lintVariable = ({
  key,
  value,
  description,
  options,
}: YamlVariable): NonNullable<LintJson['variables']>[number] => ({
  key,
  value,
  description: description ?? '',
  options: options ? [...options] : null,
});

export const lintInput = (input: InputDeclaration): NonNullable<LintJson['inputs']>[number] => ({
  ...input,
  options: input.options && [...input.options],
});
