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
  readonly plan: Plan;
}

/** Days from today; negative ones are in the past. */
type Day = number;

export interface PlannedIssue {
  /** Full path of the project. */
  readonly project: string;
  readonly title: string;
  readonly labels?: readonly string[];
  readonly weight?: number;
  readonly assignee?: string;
  /** Titles of what it is planned for. */
  readonly milestone?: string;
  readonly epic?: string;
  /** Which of the plan's iterations, from 0. */
  readonly iteration?: number;
  readonly created: Day;
  /** Closed, and opened again, closed, ... on these days. */
  readonly turns?: readonly Day[];
  readonly comments?: readonly { readonly author: string; readonly text: string }[];
}

/** What a group plans, and what of it is done. */
export interface Plan {
  /** Full path of the group. */
  readonly group: string;
  /** Who writes it down: an owner, as others cannot say when something was. */
  readonly planner: string;
  readonly labels: readonly { readonly name: string; readonly color: string; readonly description?: string }[];
  readonly milestones: ReadonlyArray<{
    readonly title: string;
    readonly description: string;
    readonly from: Day;
    readonly to: Day;
    readonly closed?: true;
  }>;
  readonly iterations: readonly { readonly from: Day; readonly to: Day }[];
  /** Parents come first. */
  readonly epics: ReadonlyArray<{
    readonly title: string;
    readonly description: string;
    readonly labels?: readonly string[];
    readonly parent?: string;
    readonly from: Day;
    readonly to: Day;
  }>;
  readonly issues: readonly PlannedIssue[];
  /** Labels that are columns of the boards of the group, of its projects with issues, and of its epics. */
  readonly columns: readonly string[];
  /** Projects whose default branch is in production. */
  readonly deployed: readonly string[];
}
