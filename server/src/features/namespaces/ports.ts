/** What namespaces need of later domains. */
import type { Readable } from 'node:stream';
import type { Bundle, Snapshot } from '@millrace/git';
import type { Acting } from '../../kernel/authz/acting.ts';
import type { Caller, ProjectSubject, Subject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Project, Snippet } from '../../kernel/db/rows.ts';
import { everyPort, onePort } from '../../kernel/ports.ts';
import type { MirrorParameters } from './projects/mirror.params.ts';
import type { CreateProject, UpdateProject } from './projects/projects.service.ts';
import type { StartParameters } from './projects/start.params.ts';

/** A licence as the repository tells it. */
export interface FoundLicense {
  /** Path of the file that holds the terms. */
  readonly path: string;
  readonly key: string;
  readonly name: string;
  readonly nickname: string | null;
  readonly htmlUrl: string | null;
  readonly sourceUrl: string | null;
}

/** What happens to repositories when projects come and go. */
/** A snippet of a project as archives hold it. */
export interface ArchivedSnippet {
  readonly title: string;
  readonly description?: string | null | undefined;
  readonly visibility: Snippet['visibility'];
  readonly branch: string | null;
  /** Name of the user. */
  readonly author?: string | null | undefined;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Reactions, each with the name of the user. */
  readonly award_emoji?:
    | readonly { readonly name: string; readonly by: string; readonly created_at: Date }[]
    | undefined;
}

/** Branches and tags as they are now, and what a server elsewhere needs to have them too. */
export interface Outgoing {
  readonly refs: ReadonlyArray<{
    readonly ref: string;
    readonly id: string;
    /** What an annotated tag leads to; null for everything else. */
    readonly peeled: string | null;
  }>;
  /** Those of the ids that are here. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Whether a commit is in the history of another; both are here. */
  isAncestor(ancestor: string, descendant: string): Promise<boolean>;
  /** Everything that the ids reach and the known ones do not. Read it to its end, or destroy it. */
  pack(ids: readonly string[], known: readonly string[]): Promise<Readable>;
}

/** A ref here that follows another repository; the zero id where it is not here yet. */
export interface MirroredRef {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
}

export interface ProjectRepositories {
  /** Makes the empty repository of a project that is about to be. */
  projectPlaced(place: Pick<Project, 'repository_storage' | 'repository_path'>, branch: string): Promise<void>;
  /** The project came to nothing. */
  projectUnplaced(place: Pick<Project, 'repository_storage' | 'repository_path'>): Promise<void>;
  /** After the project's row is committed. When it fails the project is removed again. */
  projectCreated(
    subject: ProjectSubject,
    options: {
      readonly caller: Caller;
      readonly initializeWithReadme: boolean;
      /** Texts of the first commit by their paths, in place of the README. */
      readonly files?: Readonly<Record<string, string>>;
    },
  ): Promise<void>;
  /** In the transaction that removes the row; the files go after it, by a task. */
  projectRemoved(tx: Db, project: Project): Promise<void>;
  /** The same for a group, with what only groups have: wikis of it and of the groups below. */
  groupRemoved(tx: Db, groupId: number): Promise<void>;
  /** Path of the README on the default branch; null when there is none. */
  readmePath(project: Project): Promise<string | null>;
  /** Everything that people made as one file; null for an empty repository. */
  bundle(project: Project, signal: AbortSignal): Promise<Readable | null>;
  /** Branches and tags, and what a server elsewhere needs to have them too. */
  outgoing(project: Project, signal: AbortSignal): Promise<Outgoing>;
  /** The files of a bare repository with everything that is in it. Close it in the end. */
  snapshot(project: Project): Promise<Snapshot>;
  /** An empty repository in place of what is there. */
  emptied(project: Project): Promise<void>;
  /** Fills an empty repository from a bundle, checked like a push. */
  unbundled(
    project: Project,
    source: AsyncIterable<Buffer>,
    options: {
      readonly maxBytes: number;
      readonly signal: AbortSignal;
      /** Where the project's default branch is not there, another one is found; it is answered. */
      readonly anyBranch?: boolean;
    },
  ): Promise<string | null>;
  /** Fills an empty repository with branches and tags of another and the pack that goes with them, checked like a push. */
  filled(
    project: Project,
    source: Bundle,
    options: {
      readonly maxBytes: number;
      readonly signal: AbortSignal;
      /** Told of every object of Git LFS that the pack points at. */
      readonly pointed?: (object: { readonly oid: string; readonly size: number }) => void;
    },
  ): Promise<void>;
  /**
   * Moves branches and tags to where another repository has them, with the pack that goes with them (null: nothing is
   * missing here). Facts follow as for a push of the caller; rules about pushes do not apply. Answers why refs did not
   * move, by name.
   */
  mirrored(
    acting: Acting,
    source: {
      readonly changes: readonly MirroredRef[];
      readonly pack: AsyncIterable<Buffer> | null;
    },
    options: {
      readonly maxBytes: number;
      readonly signal: AbortSignal;
      readonly pushOptions: readonly string[];
      /** Which of the refs are to move, decided when the objects are here: `isAncestor` knows them. */
      readonly choose: (
        changes: readonly MirroredRef[],
        isAncestor: (ancestor: string, descendant: string) => Promise<boolean>,
      ) => Promise<readonly MirroredRef[]>;
      /** Before the refs move: fetches the objects of Git LFS that the pack points at. */
      readonly large: (pointers: ReadonlyMap<string, { readonly oid: string; readonly size: number }>) => Promise<void>;
    },
  ): Promise<ReadonlyMap<string, string>>;
  /** Objects of Git LFS of a project, in batches. */
  allLarge(
    projectId: number,
    limit: number,
  ): AsyncIterable<ReadonlyArray<{ readonly oid: string; readonly size: number; read(): Readable }>>;
  /** Whether somebody has written to the wiki. */
  hasWiki(subject: ProjectSubject): Promise<boolean>;
  /** The same of the wiki; null where nobody has written to it. */
  wikiSnapshot(subject: ProjectSubject): Promise<Snapshot | null>;
  /** The wiki as one file with the name of its branch; null where nobody has written to it. */
  wikiBundle(
    subject: Subject,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Readable; readonly branch: string | null } | null>;
  /** Takes the wiki away. */
  wikiEmptied(subject: Subject): Promise<void>;
  /** Fills a wiki that is not there yet, as `unbundled` does a repository. */
  wikiUnbundled(
    subject: Subject,
    source: AsyncIterable<Buffer>,
    options: { readonly maxBytes: number; readonly signal: AbortSignal; readonly branch: string | null },
  ): Promise<void>;
  /** The same with what another server offers and sends. */
  wikiFilled(
    subject: Subject,
    source: Bundle,
    options: { readonly maxBytes: number; readonly signal: AbortSignal; readonly branch: string | null },
  ): Promise<void>;
  /** The snippets of a project with their repositories as files, the oldest first. Read each before the next. */
  snippetBundles(
    projectId: number,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly id: number; readonly line: ArchivedSnippet; readonly bytes: Readable }>;
  /** Makes a snippet of what an archive has of it, or another server sends, and answers its id; why not, where it is none. */
  takeSnippet(
    subject: ProjectSubject,
    line: ArchivedSnippet,
    author: { readonly id: number; readonly mayRestricted: boolean },
    source: AsyncIterable<Buffer> | Bundle,
    options: { readonly size: number; readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<{ readonly id: number } | { readonly reason: string }>;
  /** Takes the snippets of a project away. */
  snippetsEmptied(projectId: number): Promise<void>;
  hasCommit(project: Project, id: string): Promise<boolean>;
  /** The commit where two parted; null where they share none. */
  mergeBase(project: Project, one: string, other: string): Promise<string | null>;
  /** Takes an object of Git LFS in; why not, where there is no room for it or its bytes are not what was said. */
  takeLarge(
    subject: ProjectSubject,
    object: { readonly oid: string; readonly size: number },
    bytes: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<string | null>;
  /** Which of these objects of Git LFS a project has. */
  hasLarge(subject: ProjectSubject, oids: readonly string[]): Promise<ReadonlySet<string>>;
  /** In the transaction that ends an import. */
  arrived(tx: Db, project: Project): Promise<void>;
  /** The licence of the default branch; null where no file says so. */
  licenseOf(project: Project): Promise<FoundLicense | null>;
  /** Copies the repository of a project to a new one: these branches only, or all branches and tags. */
  projectCopied(source: Project, target: Project, branches: readonly string[] | null): Promise<void>;
  hasBranch(project: Project, branch: string): Promise<boolean>;
  /** The newest commit of the default branch, and the newest tag; null where there is none. */
  headOf(project: Project): Promise<string | null>;
  latestTag(project: Project): Promise<string | null>;
  /** Makes another branch the default one; false when there is no such branch. The row is changed after it. */
  changeDefaultBranch(project: Project, branch: string): Promise<boolean>;
}

export const projectRepositories = onePort<ProjectRepositories>('repositories of projects');

/** Changes of a project, with the address and the settings of its pull mirror. */
export type UpdateMirrored = UpdateProject & MirrorParameters & { readonly import_url?: string };

export interface ProjectStarts {
  /** Creates a project that starts as its parameters say: empty, from a template, as a copy, or from a repository elsewhere. */
  create(caller: Caller, params: CreateProject & StartParameters): Promise<ProjectSubject>;
  /** Changes a project and its pull mirror, both or neither. */
  update(subject: ProjectSubject, caller: Caller, params: UpdateMirrored): Promise<ProjectSubject>;
}

export const projectStarts = onePort<ProjectStarts>(
  'projects and the repositories elsewhere that they start with or follow',
);

export interface RunnersTokens {
  /** The token that registers runners of a group or a project; null while runners do not register with tokens. */
  of(owner: { readonly namespaceId: number | null; readonly projectId: number | null }): Promise<string | null>;
}

export const runnersTokens = onePort<RunnersTokens>('registration tokens of runners');

export interface MembersUnassigned {
  /** Takes somebody off what is assigned to them in a project, or in everything of a group. */
  unassign(tx: Db, userId: number, place: { readonly kind: 'group' | 'project'; readonly id: number }): Promise<void>;
}

export const membersUnassigned = everyPort<MembersUnassigned>('what members are assigned to');

/** A project, or everything of a group, that has another parent now. */
export type Moved = { readonly projectId: number } | { readonly namespaceId: number };

export interface PlaceMoved {
  /** After the move, in its transaction. */
  moved(tx: Db, moved: Moved): Promise<void>;
}

export const placeMoved = everyPort<PlaceMoved>('what moves along with projects and groups');

/** An issue tracker elsewhere that a project uses. */
export interface ExternalTracker {
  readonly title: string;
  readonly projectUrl: string;
  /** Null where the tracker has none that is known. */
  readonly newIssueUrl: string | null;
  /** Whether issues there are closed by commits and merge requests. */
  readonly closesIssues: boolean;
  /** The issue that a word names by the tracker's pattern; whether it exists is not asked. */
  issueNamed(word: string): { readonly id: string; readonly url: string } | null;
}

export interface ExternalPlaces {
  /** What the project uses elsewhere by its integrations and those above it. */
  of(subject: ProjectSubject): Promise<{ readonly wikiUrl: string | null; readonly tracker: ExternalTracker | null }>;
}

export const externalPlaces = onePort<ExternalPlaces>('issue trackers and wikis elsewhere');
