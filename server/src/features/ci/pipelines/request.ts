/** What somebody asks for when a pipeline is created. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job, MergeRequest, PipelineSchedule, PipelineTrigger } from '../../../kernel/db/rows.ts';
import type { ArtifactReader, PipelineInputs } from './compile.ts';
import type { ConfigFile } from './config-file.ts';

export type PipelineSource =
  | 'push'
  | 'api'
  | 'web'
  | 'merge_request_event'
  | 'trigger'
  | 'schedule'
  | 'pipeline'
  | 'parent_pipeline';

/** The job that starts a pipeline. */
export interface Upstream {
  readonly job: Pick<Job, 'id' | 'project_id' | 'pipeline_id' | 'kind'>;
  /** The new pipeline is a part of the job's own pipeline. */
  readonly child: boolean;
}

export interface PipelineVariableInput {
  readonly key: string;
  readonly value: string;
  readonly variable_type: 'env_var' | 'file';
  readonly raw?: boolean;
}

export interface CreatePipeline {
  readonly subject: ProjectSubject;
  /** Whose request it is: jobs run with their rights. */
  readonly caller: Caller;
  /** Full ref: `refs/heads/x`, `refs/tags/x`, `refs/merge-requests/1/head`. */
  readonly ref: string;
  readonly sha: string;
  readonly beforeSha: string;
  readonly source: PipelineSource;
  readonly variables?: readonly PipelineVariableInput[];
  /** Values for the inputs that the configuration declares. */
  readonly inputs?: PipelineInputs;
  readonly mergeRequest?: MergeRequest;
  /** The schedule that it is a run of. */
  readonly schedule?: Pick<PipelineSchedule, 'id' | 'description' | 'queue_priority'>;
  /** The trigger token that it is started with. */
  readonly trigger?: Pick<PipelineTrigger, 'id' | 'token_sealed'>;
  /** The job that it is started by. */
  readonly upstream?: Upstream;
  /** Where `sha` is a merge of the request's head into something. */
  readonly merged?: MergedSources;
  /** Instead of the file of the commit. */
  readonly config?: ConfigFile;
  readonly artifact?: ArtifactReader;
  /** From a push option. */
  readonly skip?: boolean;
  /** Store a failed pipeline when the configuration is broken; else that is refused. */
  readonly keepBroken: boolean;
}

/** The commits that a pipeline of a merge is about. */
export interface MergedSources {
  /** The head of the request. */
  readonly source: string;
  /** What it was merged into: the target branch, or the merge of the entry ahead in a merge train. */
  readonly target: string;
  /** A merge train tests everything: no mark in a message, and no limit of a person, keeps it from that. */
  readonly train?: true;
}

/** What facts and variables depend on. */
export type ContextRequest = Omit<CreatePipeline, 'skip' | 'keepBroken'>;
