/** What an import needs of another server: where the code is, and its records as rows of relations. */
import type { ImportTarget } from '../../namespaces/index.ts';
import type { Row } from '../project-archives/json.ts';
import type { ArchivedFiles } from '../project-archives/uploads.ts';

/** A branch or head of a request as it is there, and what it becomes here. */
export interface RefName {
  readonly there: string;
  readonly here: string;
}

export interface ProviderRepository {
  /** Whether there may be a wiki beside the code. */
  readonly hasWiki?: boolean;
  /** What is switched off there: its lists are refused. */
  readonly without?: ReadonlySet<'issues' | 'requests' | 'releases'>;
  readonly id: string;
  readonly name: string;
  /** As people there call it: `owner/name`. */
  readonly source: string;
  /** Path of its page there. */
  readonly link: string;
  readonly description: string | null;
  readonly private: boolean;
  /** Where it is known exactly. */
  readonly visibility?: 'private' | 'internal' | 'public';
  /** Where git fetches it, without what proves us there. */
  readonly cloneUrl: string;
  readonly defaultBranch: string | null;
}

/** A part of an import: rows of one relation, begun again whole where it was interrupted. */
export interface Stage {
  /** That of the relation. */
  readonly name: string;
  /** Of merge requests the commit that both branches share is put in when the code is there: `base_sha` of the same row. */
  rows(): AsyncIterable<readonly { readonly relation: string; readonly row: Row }[]>;
}

/** What an attempt before this one has brought: later stages build on it. */
export interface Known {
  readonly issues: readonly number[];
  readonly requests: readonly {
    readonly iid: number;
    readonly head_sha: string | null;
    readonly base_sha: string | null;
  }[];
}

/** A part of an import that is no rows of a relation: begun again whole where it was interrupted. */
export interface Part<Along = never> {
  readonly name: string;
  /** Names of what it brings besides. */
  readonly along?: readonly string[];
  /** Of each thing why it is left out; null where it is here. */
  take(): AsyncIterable<string | null | Along>;
}

/** Something that a part brings along, under a name of its own. */
export interface Brought {
  readonly name: string;
  readonly reason: string | null;
}

/** What parts put things into. */
export interface PartTarget {
  readonly files: ArchivedFiles;
  readonly owner: Parameters<ArchivedFiles['takeUpload']>[0];
  readonly target: Pick<ImportTarget, 'person' | 'importerId'>;
  /** Bytes of an uploaded file. */
  readonly largest: number;
}

/** What the default branch there asks of every change. */
export interface Requirements {
  readonly resolvedDiscussions: boolean;
  readonly signedCommits: boolean;
}

export interface Source {
  readonly repository: ProviderRepository;
  /** Told before the stages that are left, where an import goes on. */
  known(before: Known): void;
  /** User and password for git. */
  readonly git: { readonly username: string; readonly password: string };
  /** Refs beside branches and tags; asked before the code is fetched. */
  refs(): Promise<readonly RefName[]>;
  /** Whether refs of merge requests are those of this product, and keep their names. */
  readonly sameRefs?: boolean;
  /** In the order in which they build on each other. */
  readonly stages: readonly Stage[];
  /** Whether the server keeps wikis as repositories beside those of the code. */
  readonly wiki?: boolean | undefined;
  /** Become settings of the project. */
  readonly requirements?: () => Promise<Requirements>;
  /** After the stages. */
  readonly parts?: (to: PartTarget) => readonly Part[];
  /** The rows of a relation that the other instance exports, where it is one of this product. */
  readonly rowsOf?: (name: string) => AsyncIterable<readonly { readonly row: Row }[]>;
}

export const timeoutStrategies = ['optimistic', 'pessimistic'] as const;

/** What is kept, sealed, of a request for an import until it is done. */
export type ProviderConfig = {
  readonly timeoutStrategy: (typeof timeoutStrategies)[number];
} & (
  | {
      readonly provider: 'hosted';
      readonly base: string;
      readonly tokens: readonly string[];
      readonly repositoryId: number;
      readonly stages: Readonly<Record<string, boolean>>;
      /** Rows of one page; what is not said is 100. */
      readonly pageSize?: number;
    }
  | {
      readonly provider: 'gitea';
      readonly base: string;
      readonly token: string;
      readonly repositoryId: number;
    }
  | {
      readonly provider: 'transfer';
      readonly base: string;
      readonly token: string;
      readonly projectId: number;
      readonly members: boolean;
    }
  | {
      readonly provider: 'server';
      readonly base: string;
      readonly username: string;
      readonly token: string;
      readonly project: string;
      readonly repository: string;
    }
);
