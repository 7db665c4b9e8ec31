/** What the CI slice needs of others; app.ts wires it. */
import type { Acting } from '../../kernel/authz/acting.ts';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { ParentLoader } from '../../kernel/http/parents.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Outbound } from '../../kernel/outbound/index.ts';
import type { Ports } from '../../kernel/ports.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import type { ChangeFeed, Settings } from '../../kernel/settings/index.ts';
import type { CommitJson, RepositoryAccess } from '../repository/index.ts';
import type { JobDeployments, RequestApprovals } from './ports.ts';

/** A commit as jobs and pipelines show it. */
export type CiCommit = CommitJson;

/** What CI asks of a project's repository. Ids are full; refs are full names; nothing that is missing throws, but commits. */
export type CiRepository = Pick<
  RepositoryAccess,
  | 'resolve'
  | 'commit'
  | 'lastCommitOf'
  | 'readText'
  | 'textOrSize'
  | 'listPaths'
  | 'changedPaths'
  | 'mergeBase'
  | 'isAncestor'
  | 'isProtected'
  | 'mayUpdate'
  | 'keepRef'
  | 'keepRefs'
  | 'branch'
  | 'carry'
  | 'construct'
  | 'branchesWith'
  | 'ciTemplate'
  | 'tagMessage'
>;

/** Adds background work inside a transaction. `runAt` delays it; an equal `key` replaces what waits. */
type Enqueue = (
  tx: Db,
  task: string,
  payload: { readonly job_id: number } | { readonly pipeline_id: number },
  options?: { readonly runAt?: Date; readonly key?: string },
) => Promise<void>;

interface CiLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** From app.ts. */
export interface CiFeatureDependencies {
  readonly ports: Ports;
  readonly db: Db;
  readonly log: CiLog;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** Host and port of SSH for variables; null when it is off. */
  readonly ssh: { readonly host: string; readonly port: number } | null;
  readonly settings: Settings;
  readonly changes: ChangeFeed;
  readonly secrets: Secrets;
  readonly objects: ObjectStore;
  readonly repository: CiRepository;
  /** For files that configurations include by address, and for terminals of runners. */
  readonly outbound: Pick<Outbound, 'send' | 'socket'>;
  /** Loads projects and groups with the caller's level, for runners that belong to them. */
  readonly parents: ParentLoader;
  /** The next numbers of a project's counter: the first of `count`. */
  readonly takeIids: (tx: Db, projectId: number, kind: 'pipeline', count: number) => Promise<number>;
  /** The person and the project as they are now, for work that the clock starts; null when either is gone or blocked. */
  readonly actingAs: (userId: number, projectId: number) => Promise<Acting | null>;
  /** Whether pushes of any number of branches and tags make pipelines of all of them. */
  readonly allPipelinesOfPush: (projectId: number) => Promise<boolean>;
  /** Whether another pipeline of the commit is within the user's limit. */
  readonly mayCreatePipeline: (caller: Caller, subject: ProjectSubject, sha: string) => Promise<boolean>;
  /** Whether another pipeline that a trigger job of the commit starts is within the user's limit. */
  readonly mayTriggerDownstream: (caller: Caller, subject: ProjectSubject, sha: string) => Promise<boolean>;
  /** Bytes of one job cache and of all of a project. */
  readonly cacheLimits: { readonly maxCacheBytes: number; readonly maxProjectCacheBytes: number };
  readonly builtIn: {
    /** Whose projects the built-in runner serves: all where jobs are isolated, else those of administrators. */
    readonly serves: () => 'all' | 'administrators';
    /** Whether this instance has it: the configuration may switch it off. */
    readonly exists: () => boolean;
    /** A job that the built-in runner may take is waiting: start it if it is not there. */
    readonly wanted: () => void;
  };
}

/** What the slice's own files share: what app.ts gave, and the ways to tell others, bound to the slice's kinds. */
export interface CiDependencies extends CiFeatureDependencies {
  /** Tells open pages that something changed; the topic carries ids only. */
  readonly announce: (tx: Db, topic: string) => Promise<void>;
  readonly enqueue: Enqueue;
  readonly deployments: JobDeployments;
  readonly approvals: RequestApprovals;
}
