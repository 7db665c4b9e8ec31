/** What the namespaces slice needs of others; app.ts wires it. */
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Project } from '../../kernel/db/rows.ts';
import type { CredentialResolver } from '../../kernel/http/credentials.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import type { Avatars, Tokens } from '../identity/index.ts';

/** What happens to repositories when projects come and go. */
interface RepositoryHooks {
  /** After the project's row is committed. When it fails the project is removed again. */
  projectCreated(
    subject: ProjectSubject,
    options: { readonly caller: Caller; readonly initializeWithReadme: boolean },
  ): Promise<void>;
  /** In the transaction that removes the row; the files go after it, by a task. */
  projectRemoved(tx: Db, project: Project): Promise<void>;
  /** Path of the README on the default branch; null when there is none. */
  readmePath(project: Project): Promise<string | null>;
  /** Copies the repository of a project to a new one: these branches only, or all branches and tags. */
  projectCopied(source: Project, target: Project, branches: readonly string[] | null): Promise<void>;
  hasBranch(project: Project, branch: string): Promise<boolean>;
  /** The newest commit of the default branch, and the newest tag; null where there is none. */
  headOf(project: Project): Promise<string | null>;
  latestTag(project: Project): Promise<string | null>;
  /** Makes another branch the default one; false when there is no such branch. The row is changed after it. */
  changeDefaultBranch(project: Project, branch: string): Promise<boolean>;
}

export interface NamespacesDependencies {
  readonly db: Db;
  readonly settings: Settings;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** What comes before a project's full path in its SSH address: `git@host:` or `ssh://git@host:port/`. */
  readonly sshPrefix: string;
  /** Name of the repository storage of new projects. */
  readonly repositoryStorage: string;
  readonly repository: RepositoryHooks;
  readonly avatars: Avatars;
  readonly objects: ObjectStore;
  readonly secrets: Pick<Secrets, 'seal' | 'open'>;
  /** For what is served outside the API. */
  readonly resolver: CredentialResolver;
  /** The token that registers runners of a group; null where none was made, or they are switched off. */
  runnersToken(groupId: number): Promise<string | null>;
  readonly tokens: Pick<Tokens, 'find' | 'issue' | 'rotate' | 'revoke' | 'expiry' | 'createBot'>;
}
