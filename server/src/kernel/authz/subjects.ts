/** What a check looks at: the caller, and the loaded parent with the caller's effective level on it. */
import type { Job, Namespace, Project, User } from '../db/rows.ts';
import type { OpenProtocols } from './git-protocols.ts';
import type { Level } from './levels.ts';

/** How the caller proved who they are. */
export type Credential =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'token';
      readonly tokenId: number;
      readonly tokenKind: 'personal' | 'project' | 'group' | 'impersonation';
    }
  /** A token that the person let an application have; without one, it was made with their password. */
  | { readonly kind: 'oauth'; readonly tokenId: number; readonly applicationId: number | null }
  | {
      readonly kind: 'session';
      readonly sessionId: number;
      /** The time to set up a second factor is over: nothing else is allowed until there is one. */
      readonly needsTwoFactor: boolean;
    }
  | { readonly kind: 'password' }
  /** A person's SSH key. */
  | { readonly kind: 'ssh_key'; readonly keyId: number }
  /**
   * A machine's SSH key, on the one project that it was presented for: reads it, and pushes to it where it may. `user` is
   * who made the key, in whose name its pushes are.
   */
  | {
      readonly kind: 'deploy_key';
      readonly keyId: number;
      /** The project that has the key; null where it has not. */
      readonly projectId: number | null;
      readonly canPush: boolean;
    }
  | { readonly kind: 'job'; readonly job: CallerJob }
  /** Reads repositories of one project, or of a group and what is below it. Nobody's account stands behind it. */
  | {
      readonly kind: 'deploy';
      readonly deployTokenId: number;
      readonly projectId: number | null;
      readonly namespaceId: number | null;
    };

export type CallerJob = Pick<Job, 'id' | 'project_id' | 'pipeline_id' | 'status'>;
export type CallerUser = User;

/** Who is asking. `user` is null for anonymous callers. */
export interface Caller {
  readonly user: CallerUser | null;
  readonly credential: Credential;
  /** Scopes of a token; null means that the credential is not limited by scopes (sessions, job tokens). */
  readonly scopes: ReadonlySet<string> | null;
  /** Administrator with everything that administrators may (admin mode, scopes permitting). */
  readonly admin: boolean;
  /** The administrator who acts as `user`. */
  readonly impersonator?: CallerUser;
  /** Where the request comes from, as trusted proxies tell; work without a request comes from nowhere and is not refused. */
  readonly address?: string;
  /** Top-level groups that are not reached from the address; known where the request is for a list. */
  readonly closedGroups?: readonly number[];
}

/** Administrators and auditors see everything that there is; the job or the deploy key of an auditor is no auditor. */
export const readsAll = (caller: Caller): boolean =>
  caller.admin ||
  (caller.user?.auditor === true && caller.credential.kind !== 'job' && caller.credential.kind !== 'deploy_key');

export const anonymous: Caller = { user: null, credential: { kind: 'none' }, scopes: null, admin: false };

/** What a level on a project is made of. */
export interface LevelParts {
  /** Given on the project itself. */
  readonly project: number | null;
  /** Given on the groups above. */
  readonly group: number | null;
  /** Whether groups are invited to the project. */
  readonly shared: boolean;
}

export interface ProjectSubject {
  readonly kind: 'project';
  readonly project: Project;
  readonly namespace: Pick<
    Namespace,
    | 'id'
    | 'kind'
    | 'name'
    | 'path'
    | 'full_path'
    | 'full_name'
    | 'parent_id'
    | 'owner_id'
    | 'traversal_ids'
    | 'avatar_object_key'
  >;
  /** The caller's effective level, 0 for strangers; administrators count as owners in `can`, not here. */
  readonly level: Level;
  /** Where the loader knows it. */
  readonly parts?: LevelParts;
  /** Whether the caller's job, of another project, may reach this one as its user; set for callers that are jobs. */
  readonly jobTokenAllowed?: boolean;
  /** Whether anyone may pull its packages: the project and the instance let them; where the loader knows it. */
  readonly openPackages?: boolean;
  /** Networks that the top-level group is kept to. */
  readonly ipRanges?: string | null;
  /** By which protocols the top-level group lets git in; where the loader knows it. */
  readonly gitProtocol?: OpenProtocols;
  /** Whether a group above waits for its deletion; where the loader knows it. */
  readonly goesWithGroup?: boolean;
}

export interface GroupSubject {
  readonly kind: 'group';
  readonly group: Namespace;
  readonly level: Level;
  /** Without a role here, but with one in a subgroup or a project below; where the loader knows it. */
  readonly roleBelow?: boolean;
  /** Whether a group above is archived or waits for its deletion; where the loader knows it. */
  readonly frozenAbove?: boolean;
  /** Networks that the top-level group is kept to. */
  readonly ipRanges?: string | null;
  /** By which protocols the top-level group lets git in; where the loader knows it. */
  readonly gitProtocol?: OpenProtocols;
}

export type Subject = ProjectSubject | GroupSubject;
