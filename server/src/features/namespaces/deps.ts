/** What the namespaces slice needs of others; app.ts wires it. */
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Project } from '../../kernel/db/rows.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import type { Tokens } from '../identity/index.ts';

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
  readonly tokens: Pick<Tokens, 'find' | 'issue' | 'rotate' | 'revoke' | 'expiry' | 'createBot'>;
}
