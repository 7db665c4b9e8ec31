/** The predefined variables of pipelines and jobs: one function per subject. Pure. */
import { groupName, nameSlug } from '@millrace/ci-config';
import type { CallerUser, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job, MergeRequest, Pipeline, Runner } from '../../../kernel/db/rows.ts';
import { compatibleVersion, serverVariableNames } from '../../../kernel/names.ts';
import type { CiDeployToken } from '../../identity/index.ts';
import type { CiCommit } from '../deps.ts';
import type { JobPlan } from '../jobs/plan.ts';
import type { JobEnvironment } from '../ports.ts';
import { type JobVariable, variable } from './job-variables.ts';

export interface ServerFacts {
  readonly externalUrl: string;
  readonly ssh: { readonly host: string; readonly port: number } | null;
}

const named = (names: readonly string[], value: string) => names.map((name) => variable(name, value));
const when = (condition: boolean, ...variables: JobVariable[]) => (condition ? variables : []);
const flag = (value: boolean) => (value ? 'true' : 'false');
/** Characters of a release's description. */
const maxRelease = 1024;
/** Bytes of a commit's message. */
const maxMessage = 100_000;
/** Longest text of a merge request's description. */
const maxDescription = 2700;

/** The instance. */
export function serverVariables({ externalUrl, ssh }: ServerFacts): JobVariable[] {
  const url = new URL(externalUrl);
  const protocol = url.protocol.replace(':', '');
  const port = url.port || (protocol === 'https' ? '443' : '80');
  const [major = '', minor = '', patch = ''] = compatibleVersion.split(/[.-]/);
  return [
    variable('CI', 'true'),
    ...named(serverVariableNames.marker, 'true'),
    variable('CI_SERVER', 'yes'),
    variable('CI_SERVER_URL', externalUrl),
    variable('CI_SERVER_HOST', url.hostname),
    variable('CI_SERVER_PORT', port),
    variable('CI_SERVER_PROTOCOL', protocol),
    variable('CI_SERVER_FQDN', url.host),
    ...when(
      ssh !== null,
      variable('CI_SERVER_SHELL_SSH_HOST', ssh?.host ?? ''),
      variable('CI_SERVER_SHELL_SSH_PORT', String(ssh?.port ?? '')),
    ),
    ...named(serverVariableNames.serverName, 'Millrace'),
    variable('CI_SERVER_VERSION', compatibleVersion),
    variable('CI_SERVER_VERSION_MAJOR', major),
    variable('CI_SERVER_VERSION_MINOR', minor),
    variable('CI_SERVER_VERSION_PATCH', patch),
    variable('CI_SERVER_REVISION', compatibleVersion),
    ...named(serverVariableNames.features, ''),
    variable('CI_API_V4_URL', `${externalUrl}/api/v4`),
    variable('CI_API_GRAPHQL_URL', `${externalUrl}/api/graphql`),
  ];
}

export const fullPath = ({ project, namespace }: Pick<ProjectSubject, 'project' | 'namespace'>): string =>
  `${namespace.full_path}/${project.path}`;

/** The project that the pipeline runs in. */
export function projectVariables(
  subject: Pick<ProjectSubject, 'project' | 'namespace'>,
  externalUrl: string,
  configPath: string,
  languages: readonly string[] = [],
): JobVariable[] {
  const { project, namespace } = subject;
  const path = fullPath(subject);
  const branch = project.default_branch ?? '';
  return [
    variable('CI_PROJECT_ID', String(project.id)),
    variable('CI_PROJECT_NAME', project.path),
    variable('CI_PROJECT_TITLE', project.name),
    variable('CI_PROJECT_DESCRIPTION', project.description ?? ''),
    variable('CI_PROJECT_TOPICS', project.topics.slice(0, 20).join(',').toLowerCase()),
    variable('CI_PROJECT_PATH', path),
    variable('CI_PROJECT_PATH_SLUG', nameSlug(path)),
    variable('CI_PROJECT_NAMESPACE', namespace.full_path),
    variable('CI_PROJECT_NAMESPACE_SLUG', nameSlug(namespace.full_path)),
    variable('CI_PROJECT_NAMESPACE_ID', String(namespace.id)),
    variable('CI_PROJECT_ROOT_NAMESPACE', namespace.full_path.split('/')[0] ?? ''),
    variable('CI_PROJECT_URL', `${externalUrl}/${path}`),
    variable('CI_PROJECT_VISIBILITY', project.visibility),
    variable('CI_PROJECT_REPOSITORY_LANGUAGES', languages.join(',').toLowerCase()),
    variable('CI_PROJECT_CLASSIFICATION_LABEL', ''),
    variable('CI_DEFAULT_BRANCH', branch),
    variable('CI_DEFAULT_BRANCH_SLUG', nameSlug(branch)),
    variable('CI_CONFIG_PATH', configPath),
  ];
}

export interface UpstreamFacts {
  readonly jobId: number | null;
  readonly pipelineId: number | null;
  readonly projectId: number | null;
}

export interface PipelineFacts {
  readonly sha: string;
  readonly beforeSha: string;
  /** Short name of a branch or tag, or the full ref of a merge request's head. */
  readonly ref: string;
  readonly tag: boolean;
  /** Of an annotated tag. */
  readonly tagMessage?: string | null;
  /** Of the release of a tag. */
  readonly releaseDescription?: string | null;
  readonly refProtected: boolean;
  readonly source: string;
  readonly mergeRequest: MergeRequestFacts | null;
  /** What the schedule is called that the pipeline is a run of. */
  readonly scheduleDescription?: string | null;
  /** What jobs may see of the trigger token that the pipeline was started with. */
  readonly triggerShortToken?: string | null;
  /** The job that it was started by, of another pipeline. */
  readonly upstream?: UpstreamFacts | null;
  /** `path!iid` of requests that are open for a branch, or of the pipeline's own; the newest first. */
  readonly openMergeRequests?: readonly string[];
}

interface MergeRequestPlace {
  readonly id: number;
  readonly path: string;
  readonly url: string;
  readonly branchProtected: boolean;
}

export interface MergeRequestFacts {
  readonly row: MergeRequest;
  readonly target: MergeRequestPlace;
  readonly source: MergeRequestPlace | null;
  readonly targetBranchSha: string | null;
  readonly assignees: readonly string[];
  readonly labels: readonly string[];
  readonly milestone: string | null;
  /** Id of the newest version of its diff. */
  readonly versionId: number | null;
  /** Whether it has all approvals that it needs. */
  readonly approved: boolean;
  /** Whether its commits become one when it is merged. */
  readonly squash: boolean;
}

/** A time as scripts of the ecosystem know it: without a fraction of a second. */
export const wholeSeconds = (time: string): string => time.replace(/\.\d+(?=Z|[+-])/, '');

/** The name that people gave to what is built. */
export const refName = (facts: Pick<PipelineFacts, 'ref' | 'mergeRequest'>): string =>
  facts.mergeRequest?.row.source_branch ?? facts.ref;

/** As much of a text as fits, without half a character at its end. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= maxMessage ? text : new TextDecoder().decode(bytes.subarray(0, maxMessage), { stream: true });
}

/** Characters of a title from which on a description repeats it. */
const longTitle = 100;

const firstLine = (message: string): string => message.split(/[\r\n]/, 1)[0] ?? '';

/** The message without its first line, where that is a title; whole where it is too long for one. */
function descriptionOf(message: string): string {
  const line = message.indexOf('\n');
  if (firstLine(message).length >= longTitle) return message;
  return line < 0 ? '' : message.slice(line + 1).replace(/\n$/, '');
}

/** Which job of which pipeline started this one; what is deleted meanwhile is left out. */
function upstreamVariables(upstream: UpstreamFacts | null): JobVariable[] {
  const known = (key: string, id: number | null | undefined) => when(id != null, variable(key, String(id)));
  return [
    ...known('CI_UPSTREAM_PROJECT_ID', upstream?.projectId),
    ...known('CI_UPSTREAM_PIPELINE_ID', upstream?.pipelineId),
    ...known('CI_UPSTREAM_JOB_ID', upstream?.jobId),
  ];
}

/** The commit and what kind of pipeline builds it. */
export function commitVariables(facts: PipelineFacts, commit: CiCommit | null): JobVariable[] {
  const name = refName(facts);
  const whole = commit?.message ?? '';
  const message = shortened(whole);
  const branch = !facts.tag && facts.mergeRequest === null;
  return [
    variable('CI_PIPELINE_SOURCE', facts.source),
    ...when(facts.source === 'trigger', variable('CI_PIPELINE_TRIGGERED', 'true')),
    ...when(
      typeof facts.triggerShortToken === 'string',
      variable('CI_TRIGGER_SHORT_TOKEN', facts.triggerShortToken ?? ''),
    ),
    ...when(
      typeof facts.scheduleDescription === 'string',
      variable('CI_PIPELINE_SCHEDULE_DESCRIPTION', facts.scheduleDescription ?? ''),
    ),
    ...upstreamVariables(facts.upstream ?? null),
    variable('CI_COMMIT_SHA', facts.sha),
    variable('CI_COMMIT_SHORT_SHA', facts.sha.slice(0, 8)),
    variable('CI_COMMIT_BEFORE_SHA', facts.beforeSha),
    variable('CI_COMMIT_REF_NAME', name),
    variable('CI_COMMIT_REF_SLUG', nameSlug(name)),
    variable('CI_COMMIT_REF_PROTECTED', flag(facts.refProtected)),
    ...when(branch, variable('CI_COMMIT_BRANCH', facts.ref)),
    ...when(
      facts.tag,
      variable('CI_COMMIT_TAG', facts.ref),
      variable('CI_COMMIT_TAG_MESSAGE', facts.tagMessage ?? '', { raw: true }),
    ),
    ...when(
      typeof facts.releaseDescription === 'string',
      variable('CI_RELEASE_DESCRIPTION', (facts.releaseDescription ?? '').slice(0, maxRelease), { raw: true }),
    ),
    variable('CI_COMMIT_MESSAGE', message),
    variable('CI_COMMIT_MESSAGE_IS_TRUNCATED', flag(message !== whole)),
    variable('CI_COMMIT_TITLE', shortened(firstLine(whole))),
    variable('CI_COMMIT_DESCRIPTION', shortened(descriptionOf(whole))),
    variable('CI_COMMIT_TIMESTAMP', wholeSeconds(commit?.committed_date ?? '')),
    variable('CI_COMMIT_AUTHOR', commit ? `${commit.author_name} <${commit.author_email}>` : ''),
    ...when(
      (facts.openMergeRequests?.length ?? 0) > 0,
      variable('CI_OPEN_MERGE_REQUESTS', (facts.openMergeRequests ?? []).slice(0, 4).join(',')),
    ),
    ...(facts.mergeRequest ? mergeRequestVariables(facts.mergeRequest, facts.ref) : []),
  ];
}

/** What the ref of a pipeline says of the commit that it tests. */
function eventType(ref: string): 'detached' | 'merged_result' | 'merge_train' {
  const kind = /^refs\/merge-requests\/\d+\/(merge|train)$/.exec(ref)?.[1];
  if (kind === undefined) return 'detached';
  return kind === 'train' ? 'merge_train' : 'merged_result';
}

const truncated = (description: string): string =>
  description.length > maxDescription ? `${description.slice(0, maxDescription - 3)}...` : description;

function mergeRequestVariables(
  {
    row,
    target,
    source,
    targetBranchSha,
    assignees,
    labels,
    milestone,
    versionId,
    approved,
    squash,
  }: MergeRequestFacts,
  ref: string,
): JobVariable[] {
  const description = row.description ?? '';
  // The head alone is what is built otherwise: its own variables name it.
  const merged = eventType(ref) !== 'detached';
  const draft = /^\s*(\[draft\]|\(draft\)|draft:)/i.test(row.title);
  return [
    variable('CI_MERGE_REQUEST_ID', String(row.id)),
    variable('CI_MERGE_REQUEST_IID', String(row.iid)),
    variable('CI_MERGE_REQUEST_EVENT_TYPE', eventType(ref)),
    variable('CI_MERGE_REQUEST_REF_PATH', eventType(ref) === 'detached' ? `refs/merge-requests/${row.iid}/head` : ref),
    variable('CI_MERGE_REQUEST_PROJECT_ID', String(target.id)),
    variable('CI_MERGE_REQUEST_PROJECT_PATH', target.path),
    variable('CI_MERGE_REQUEST_PROJECT_URL', target.url),
    variable('CI_MERGE_REQUEST_TARGET_BRANCH_NAME', row.target_branch),
    variable('CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED', flag(target.branchProtected)),
    variable('CI_MERGE_REQUEST_TARGET_BRANCH_SHA', merged ? (targetBranchSha ?? '') : ''),
    variable('CI_MERGE_REQUEST_SOURCE_PROJECT_ID', source ? String(source.id) : ''),
    variable('CI_MERGE_REQUEST_SOURCE_PROJECT_PATH', source?.path ?? ''),
    variable('CI_MERGE_REQUEST_SOURCE_PROJECT_URL', source?.url ?? ''),
    variable('CI_MERGE_REQUEST_SOURCE_BRANCH_NAME', row.source_branch),
    variable('CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED', flag(source?.branchProtected ?? false)),
    variable('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA', merged ? (row.head_sha ?? '') : ''),
    variable('CI_MERGE_REQUEST_DIFF_BASE_SHA', row.base_sha ?? ''),
    variable('CI_MERGE_REQUEST_TITLE', row.title),
    variable('CI_MERGE_REQUEST_DESCRIPTION', truncated(description)),
    variable('CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED', flag(description.length > maxDescription)),
    variable('CI_MERGE_REQUEST_DRAFT', flag(draft)),
    variable('CI_MERGE_REQUEST_SQUASH_ON_MERGE', flag(squash)),
    ...when(assignees.length > 0, variable('CI_MERGE_REQUEST_ASSIGNEES', assignees.join(', '))),
    ...when(labels.length > 0, variable('CI_MERGE_REQUEST_LABELS', labels.join(','))),
    ...when(milestone !== null, variable('CI_MERGE_REQUEST_MILESTONE', milestone ?? '')),
    ...when(versionId !== null, variable('CI_MERGE_REQUEST_DIFF_ID', String(versionId ?? ''))),
    ...when(approved, variable('CI_MERGE_REQUEST_APPROVED', 'true')),
  ];
}

/** Whose request caused the pipeline. */
export function userVariables(user: CallerUser | null): JobVariable[] {
  if (!user) return [];
  return [
    ...named(serverVariableNames.userId, String(user.id)),
    ...named(serverVariableNames.userLogin, user.username),
    ...named(serverVariableNames.userName, user.name),
    ...named(serverVariableNames.userEmail, user.email),
  ];
}

/** The pipeline as a row: what is known only after it was stored. */
export function pipelineVariables(
  pipeline: Pick<Pipeline, 'id' | 'iid' | 'name' | 'created_at'>,
  projectUrl: string,
): JobVariable[] {
  return [
    variable('CI_PIPELINE_ID', String(pipeline.id)),
    variable('CI_PIPELINE_IID', String(pipeline.iid)),
    variable('CI_PIPELINE_URL', `${projectUrl}/-/pipelines/${pipeline.id}`),
    variable('CI_PIPELINE_CREATED_AT', wholeSeconds(pipeline.created_at.toISOString())),
    ...when(pipeline.name !== null, variable('CI_PIPELINE_NAME', pipeline.name ?? '')),
  ];
}

export interface JobFacts {
  readonly job: Job;
  readonly plan: JobPlan;
  readonly token: string;
  readonly projectUrl: string;
  readonly repositoryUrl: string;
  readonly runner: Pick<Runner, 'id' | 'description' | 'tag_list'>;
  readonly timeoutSeconds: number;
}

/** What a job is called, and where it stands. */
const jobNames = (job: Pick<Job, 'name' | 'stage'>): JobVariable[] => [
  variable('CI_JOB_NAME', job.name),
  variable('CI_JOB_NAME_SLUG', nameSlug(job.name)),
  variable('CI_JOB_GROUP_NAME', groupName(job.name)),
  variable('CI_JOB_STAGE', job.stage),
];

const startedByPeople = (job: Pick<Job, 'when'>): JobVariable[] =>
  when(job.when === 'manual' || job.when === 'delayed', variable('CI_JOB_MANUAL', 'true'));

/** The trigger job: no runner has it, and it has no token. */
export const bridgeVariables = (job: Job, plan: JobPlan): JobVariable[] => [
  ...jobNames(job),
  ...startedByPeople(job),
  ...nodeVariables(plan.parallel),
];

/** The job and the runner that has it. */
export function jobVariables(facts: JobFacts): JobVariable[] {
  const { job, plan, runner } = facts;
  return [
    variable('CI_JOB_ID', String(job.id)),
    ...jobNames(job),
    variable('CI_JOB_URL', `${facts.projectUrl}/-/jobs/${job.id}`),
    variable('CI_JOB_TOKEN', facts.token, { public: false, masked: true }),
    variable('CI_JOB_STARTED_AT', wholeSeconds((job.started_at ?? new Date()).toISOString())),
    variable('CI_JOB_TIMEOUT', String(facts.timeoutSeconds)),
    ...startedByPeople(job),
    ...when(plan.image !== null, variable('CI_JOB_IMAGE', plan.image?.name ?? '')),
    ...nodeVariables(plan.parallel),
    ...(plan.release ? [variable('CI_RELEASE_DESCRIPTION', plan.release.description, { raw: true })] : []),
    variable('CI_REPOSITORY_URL', facts.repositoryUrl, { public: false }),
    variable('CI_RUNNER_ID', String(runner.id)),
    variable('CI_RUNNER_DESCRIPTION', runner.description),
    variable('CI_RUNNER_TAGS', `[${runner.tag_list.map((tag) => JSON.stringify(tag)).join(', ')}]`),
  ];
}

/** Where the job deploys to; `url` with everything that is known of it. */
export function environmentVariables(environment: JobEnvironment | null, url: string | null): JobVariable[] {
  if (!environment) return [];
  const address = url ?? environment.external_url;
  return [
    variable('CI_ENVIRONMENT_ID', String(environment.id)),
    variable('CI_ENVIRONMENT_NAME', environment.name, { raw: true }),
    variable('CI_ENVIRONMENT_SLUG', environment.slug),
    variable('CI_ENVIRONMENT_TIER', environment.tier),
    variable('CI_ENVIRONMENT_ACTION', environment.action),
    ...when(address !== null, variable('CI_ENVIRONMENT_URL', address ?? '')),
  ];
}

/** The deploy token that the project has for its jobs. */
export const deployTokenVariables = (token: CiDeployToken | null): JobVariable[] =>
  token
    ? [
        variable('CI_DEPLOY_USER', token.username),
        variable('CI_DEPLOY_PASSWORD', token.password, { public: false, masked: true, raw: true }),
      ]
    : [];

/** While deployments of the project are frozen. */
export const freezeVariables = (frozen: boolean): JobVariable[] => when(frozen, variable('CI_DEPLOY_FREEZE', 'true'));

/** One of several equal jobs. */
function nodeVariables(parallel: JobPlan['parallel']): JobVariable[] {
  const total = variable('CI_NODE_TOTAL', String(parallel?.total ?? 1));
  return parallel ? [variable('CI_NODE_INDEX', String(parallel.index)), total] : [total];
}
