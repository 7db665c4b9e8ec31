/** What the demo is made of: people, groups, projects with their history, and what is proposed in them. */

export interface Person {
  readonly username: string;
  readonly name: string;
}

export type Level = 'reporter' | 'developer' | 'maintainer' | 'owner';

export interface Group {
  readonly path: string;
  readonly name: string;
  readonly description: string;
  /** Full path of the parent. */
  readonly parent?: string;
  readonly members: Readonly<Record<string, Level>>;
}

/** Path -> new content; null removes the file. */
export type Files = Readonly<Record<string, string | null>>;

export interface Change {
  readonly author: string;
  readonly message: string;
  readonly files: Files;
}

export interface Branch {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly mergeRequest?: {
    readonly title: string;
    readonly description: string;
    readonly reviewers?: readonly string[];
    /** `conflict`: the target has moved on in the same lines; see `later`. */
    readonly becomes: 'opened' | 'draft' | 'conflict' | 'merged' | 'closed';
  };
}

export interface Project {
  readonly path: string;
  readonly name: string;
  readonly group: string;
  readonly description: string;
  readonly visibility: 'private' | 'internal' | 'public';
  readonly members?: Readonly<Record<string, Level>>;
  /** Commits of the default branch, oldest first. */
  readonly history: readonly Change[];
  readonly tags?: readonly { readonly name: string; readonly message: string }[];
  readonly branches: readonly Branch[];
  /** Commits of the default branch after the branches went off. */
  readonly later?: readonly Change[];
}

export interface Organisation {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
  readonly projects: readonly Project[];
}
