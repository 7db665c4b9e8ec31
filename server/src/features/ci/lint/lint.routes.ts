/** Checking configurations: of a project at a ref, or a text in the project's surroundings. */
import { formatLocated, type IncludedFile, type IncludeSource } from '@millrace/ci-config';
import { ZERO_SHA } from '@millrace/git';
import Type from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Bool, Hash, IdOrPath, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import type { CiDependencies } from '../deps.ts';
import { compileWith, type PipelineInputs } from '../pipelines/compile.ts';
import { type ConfigFile, findConfig } from '../pipelines/config-file.ts';
import type { Pipelines } from '../pipelines/create.ts';
import { fullPath } from '../variables/predefined.ts';
import { type LintJson, LintResult, lintInclude, lintInput, lintJobs, lintVariable } from './lint.entity.ts';

const tag = 'CI lint';
const credentials = ['token', 'session'] as const;
const id = IdOrPath('Id or path of the project');
const access = { on: 'project', ability: 'lint_ci' } as const;
const options = {
  dry_run: Optional(Bool({ default: false, description: 'As if the pipeline were created: rules decide on jobs' })),
  include_jobs: Optional(Bool({ default: false, description: 'Also list the jobs' })),
  inputs: Optional(Hash(Type.Unknown(), { description: 'Values for the inputs that the configuration declares' })),
  include_inputs: Optional(
    Bool({
      default: false,
      description: 'Also list the inputs, with the options and defaults that hold beside `inputs`',
    }),
  ),
  include_variables: Optional(
    Bool({ default: false, description: 'Also list the variables of the configuration that have a description' }),
  ),
};

interface LintRequest {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly config: ConfigFile;
  readonly place: { readonly ref: string; readonly sha: string };
  readonly dryRun: boolean;
  readonly includeJobs: boolean;
  readonly inputs: PipelineInputs;
  readonly includeInputs: boolean;
  readonly includeVariables: boolean;
}

/** Predefined variables alone decide on includes and rules: what is secret has no part in an answer that people read. */
export function lintRoutes(deps: CiDependencies, pipelines: Pipelines): Route[] {
  const { repository } = deps;

  /** The commit of a branch, tag or hash, with the full ref that a pipeline on it would have. */
  async function locate(subject: ProjectSubject, name: string): Promise<{ ref: string; sha: string } | null> {
    for (const ref of [`refs/heads/${name}`, `refs/tags/${name}`]) {
      const sha = await repository.resolve(subject.project, ref);
      if (sha !== null) return { ref, sha };
    }
    const sha = /^[0-9a-f]{40}$/.test(name) ? await repository.resolve(subject.project, name) : null;
    return sha === null ? null : { ref: `refs/heads/${subject.project.default_branch ?? 'main'}`, sha };
  }

  async function lint({
    subject,
    caller,
    config,
    place,
    dryRun,
    includeJobs,
    ...rest
  }: LintRequest): Promise<LintJson> {
    const request = { subject, caller, ...place, beforeSha: ZERO_SHA, source: dryRun ? 'push' : 'api' } as const;
    const { facts, variables } =
      place.sha === ZERO_SHA
        ? await pipelines.emptyContextOf(request, config.path)
        : await pipelines.contextOf(request, config.path);
    const visible = { ...variables, given: [], givenFor: undefined };
    const page = `${deps.externalUrl}/${fullPath(subject)}/-`;
    const included = new Map<string, LintJson['includes'][number]>();
    const note = (file: IncludedFile, source: IncludeSource | null) => {
      const found = lintInclude(file, source, { page, project: fullPath(subject), sha: place.sha });
      included.set(`${found.type} ${found.location} ${found.extra.project ?? ''}`, found);
    };
    const compilation = { subject, caller, config, sha: place.sha, facts, variables: visible, inputs: rest.inputs };
    // What would run here says nothing about the configuration, unless it was asked.
    const result = await compileWith(deps, { ...compilation, everyJob: !dryRun }, note);
    const errors = result.ok ? [] : result.errors;
    return {
      valid: errors.length === 0,
      errors: errors.map(formatLocated),
      warnings: result.warnings.map(formatLocated),
      merged_yaml: result.mergedYaml?.() ?? null,
      includes: [...included.values()],
      ...(includeJobs ? { jobs: result.ok ? lintJobs(result.plan) : [] } : {}),
      ...(rest.includeInputs ? { inputs: result.inputs().map(lintInput) } : {}),
      ...(rest.includeVariables ? { variables: (await result.described()).map(lintVariable) } : {}),
    };
  }

  const broken = (error: string): LintJson => ({
    valid: false,
    errors: [error],
    warnings: [],
    merged_yaml: null,
    includes: [],
  });

  return [
    route({
      method: 'GET',
      path: '/projects/:id/ci/lint',
      summary: 'Validate the CI/CD configuration of a project',
      tag,
      credentials,
      access,
      params: Type.Object({
        ...options,
        id,
        content_ref: Optional(
          Str({ description: 'Where the configuration is read; the default branch when left out' }),
        ),
        sha: Optional(Str({ deprecated: true, description: 'Use `content_ref`' })),
        dry_run_ref: Optional(Str({ description: 'Branch or tag that a dry run is for' })),
        ref: Optional(Str({ deprecated: true, description: 'Use `dry_run_ref`' })),
      }),
      responses: { 200: LintResult },
      handler: async ({ subject, caller, params }) => {
        const content = params.content_ref || params.sha || subject.project.default_branch || 'main';
        const place = await locate(subject, content);
        if (!place) throw notFound('Commit');
        const config = await findConfig(deps, subject.project, place.sha);
        if (!config) return broken('Missing CI config file');
        const other = params.dry_run ? params.dry_run_ref || params.ref || undefined : undefined;
        const run = other === undefined ? place : await locate(subject, other);
        if (!run) return broken('Reference not found');
        return await lint({
          subject,
          caller,
          config,
          place: run,
          dryRun: params.dry_run ?? false,
          includeJobs: params.include_jobs ?? false,
          inputs: params.inputs ?? {},
          includeInputs: params.include_inputs ?? false,
          includeVariables: params.include_variables ?? false,
        });
      },
    }),
    route({
      method: 'POST',
      path: '/projects/:id/ci/lint',
      summary: 'Validate a CI/CD configuration in the context of a project',
      tag,
      credentials,
      access,
      params: Type.Object({
        ...options,
        id,
        content: Str({ description: 'The configuration' }),
        ref: Optional(
          Str({ description: 'Branch or tag that a dry run is for; the default branch when empty or left out' }),
        ),
      }),
      responses: { 200: LintResult },
      handler: async ({ subject, caller, params }) => {
        const wanted = params.dry_run ? params.ref || undefined : undefined;
        const branch = subject.project.default_branch ?? 'main';
        const found = await locate(subject, wanted ?? branch);
        if (!found && wanted !== undefined) return broken('Reference not found');
        const place = found ?? { ref: `refs/heads/${branch}`, sha: ZERO_SHA };
        return await lint({
          subject,
          caller,
          config: { path: subject.project.ci_config_path ?? ciConfigPaths[1], text: params.content },
          place,
          dryRun: params.dry_run ?? false,
          includeJobs: params.include_jobs ?? false,
          inputs: params.inputs ?? {},
          includeInputs: params.include_inputs ?? false,
          includeVariables: params.include_variables ?? false,
        });
      },
    }),
  ];
}
