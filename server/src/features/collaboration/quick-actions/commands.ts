/** What a quick action is, and what a kind of thing says so that people can use them on it. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue, Label } from '../../../kernel/db/rows.ts';
import type { Place } from '../notes/kinds.ts';
import type { TimeKept } from '../time-tracking/index.ts';

/** Changes that commands gather; the kind applies them at once, as a request with these parameters would. */
export interface Wish {
  readonly title?: string;
  readonly state_event?: 'close' | 'reopen';
  readonly labels?: readonly string[];
  readonly add_labels?: readonly string[];
  readonly remove_labels?: readonly string[];
  readonly milestone_id?: number | null;
  readonly assignee_ids?: readonly number[];
  readonly reviewer_ids?: readonly number[];
  readonly discussion_locked?: boolean;
  readonly confidential?: boolean;
  readonly due_date?: string | null;
  readonly weight?: number | null;
  readonly epic_id?: number | null;
  readonly iteration_id?: number | null;
  readonly health_status?: Issue['health_status'];
  readonly severity?: Issue['severity'];
  readonly target_branch?: string;
  readonly issue_type?: Issue['type'];
}

/** The thing as it is before the commands of a text. */
export interface Current {
  readonly title: string;
  readonly state: string;
  readonly locked: boolean;
  readonly labels: readonly Pick<Label, 'id' | 'title'>[];
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly milestoneId: number | null;
  readonly healthStatus?: Issue['health_status'];
}

/** What things of a kind have, beside title, state and labels. */
export type CommandField = 'assignees' | 'reviewers' | 'milestone' | 'lock' | 'times' | 'health' | 'metadata';

/** What commands need to know of a kind. */
export interface Commandable {
  /** False where a kind has nothing but commands of its own. */
  readonly shared?: false;
  readonly fields: ReadonlySet<CommandField>;
  readonly times?: TimeKept;
  /** Whether the caller may change texts and state, or what is planned. */
  may(place: Place, caller: Caller, what: 'edit' | 'plan'): Promise<boolean>;
  current(place: Place): Promise<Current>;
  update(place: Place, caller: Caller, wish: Wish): Promise<void>;
  /** Labels and milestone of a thing of the kind that the caller sees, by what texts write for it. */
  metadataOf?(place: Place, caller: Caller, reference: string): Promise<Pick<Current, 'labels' | 'milestoneId'> | null>;
  /** Those that only this kind has. */
  readonly commands: readonly Command[];
}

/** A command that is being applied. */
export interface Running {
  readonly db: Db;
  readonly place: Place;
  readonly caller: Caller;
  readonly userId: number;
  readonly kind: Commandable;
  /** In sentences: `issue`. */
  readonly noun: string;
  readonly current: Current;
  /** What commands before this one have gathered. */
  readonly wish: Wish;
  /** Names of all commands of the text. */
  readonly written: ReadonlySet<string>;
  /** Labels and milestone of another thing, of any kind. */
  metadataOf(reference: string): Promise<Pick<Current, 'labels' | 'milestoneId'> | null>;
}

export interface Outcome {
  /** What the answer reports in `commands_changes`. */
  readonly changes: Readonly<Record<string, unknown>>;
  /** A sentence for people. */
  readonly summary: string;
  readonly wish?: Wish;
  /** Done after the gathered changes. */
  readonly after?: () => Promise<void>;
}

export interface Command {
  /** The name that reports use first, then its aliases. */
  readonly names: readonly [string, ...string[]];
  /** What a kind must have for it. */
  readonly needs?: CommandField;
  /** Null where it cannot be applied: by this caller, to this state, or with this argument; a sentence says why. */
  run(on: Running, argument: string): Promise<Outcome | string | null>;
}

/** A command for those who may plan, or change texts and state. */
export const guarded = (
  what: 'edit' | 'plan',
  names: Command['names'],
  run: Command['run'],
  needs?: CommandField,
): Command => ({
  names,
  ...(needs ? { needs } : {}),
  run: async (on, argument) => ((await on.kind.may(on.place, on.caller, what)) ? await run(on, argument) : null),
});
