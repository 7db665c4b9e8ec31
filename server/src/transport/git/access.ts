/** Who may use git on which repository, for every transport: the one place where a fetch or a push is authorised. */
import type { MadeByPush } from '../../features/namespaces/index.ts';
import { canOnProject } from '../../kernel/authz/can.ts';
import { type GitProtocol, letsIn, type OpenProtocols } from '../../kernel/authz/git-protocols.ts';
import type { Caller, ProjectSubject, Subject } from '../../kernel/authz/subjects.ts';
import { maintenanceText, type ReadMaintenance } from '../../kernel/http/maintenance.ts';
import { isFormerPath, type ParentLoader } from '../../kernel/http/parents.ts';
import {
  type GitTransport,
  type OpenedRepository,
  opened,
  type SnippetTransport,
  type WikiTransport,
} from './transports.ts';

export type GitAccess = 'read' | 'write';

export interface GitAccessDependencies<W, S> {
  readonly parents: ParentLoader;
  readonly transport: GitTransport<ProjectSubject>;
  readonly wikis: WikiTransport<W>;
  readonly snippets: SnippetTransport<S>;
  readonly scopesAllow: (caller: Caller, access: GitAccess) => boolean;
  /** By which protocols people may use git here; jobs may always use HTTP. */
  readonly protocols: () => Promise<OpenProtocols>;
  readonly maintenance: ReadMaintenance;
  /** Branches that somebody without a role may push to. */
  readonly collaborates: (subject: ProjectSubject, caller: Caller) => Promise<ReadonlySet<string>>;
  /** Makes the project that is pushed to and is not there, where that is the caller's to do. */
  readonly newProject: (path: string, caller: Caller, protocol: GitProtocol) => Promise<MadeByPush>;
  /** What a deploy key may do in a project; null when the project does not have it. */
  readonly deployKeyIn: (keyId: number, projectId: number) => Promise<{ readonly canPush: boolean } | null>;
}

/**
 * Why git is refused: `missing` also stands for what the caller may not see, `empty` for a wiki that has no repository
 * yet, `unmade` for a project that a push could not make. Signing in may help anonymous callers.
 */
export interface GitRefusal {
  readonly refusal: 'protocol' | 'maintenance' | 'missing' | 'scope' | 'forbidden' | 'empty' | 'unmade';
  readonly text: string;
}

export interface GitTarget {
  readonly refusal: null;
  readonly kind: 'code' | 'wiki' | 'snippet';
  /** The project, or the group of a wiki; null for personal snippets. */
  readonly subject: Subject | null;
  readonly repository: OpenedRepository;
  /** With what the project adds to the credential. */
  readonly caller: Caller;
  /** `group/project`, with `.wiki` or `/snippets/ID` after its place, where it is now. */
  readonly fullPath: string;
  /** Whether the client asked by a path that the project had before. */
  readonly moved: boolean;
}

const wikiSuffix = '.wiki';
const snippetPath = /^(?:(.+)\/)?snippets\/(\d{1,15})$/i;
const closed = 'Git push is not allowed because this Millrace instance is currently in (read-only) maintenance mode';
const names = { http: 'HTTP', ssh: 'SSH' } as const;

export function gitAccess<W, S>(deps: GitAccessDependencies<W, S>) {
  const refused = (refusal: GitRefusal['refusal'], text: string): GitRefusal => ({ refusal, text });
  const wrongProtocol = (protocol: GitProtocol) =>
    refused('protocol', `Git access over ${names[protocol]} is not allowed`);
  const forbids = (open: OpenProtocols | undefined, caller: Caller, protocol: GitProtocol) =>
    caller.credential.kind !== 'job' && !letsIn(open, protocol);

  /** A deploy key counts for the project that it is used on. */
  async function onProject(caller: Caller, subject: ProjectSubject): Promise<Caller> {
    const { credential } = caller;
    if (credential.kind !== 'deploy_key') return caller;
    const found = await deps.deployKeyIn(credential.keyId, subject.project.id);
    return {
      ...caller,
      credential: { ...credential, projectId: found && subject.project.id, canPush: found?.canPush ?? false },
    };
  }

  const notFound = refused(
    'missing',
    'The project you were looking for could not be found or you do not have permission to view it.',
  );

  /** The wiki of the project or group at `path`. */
  async function openWiki(
    path: string,
    who: Caller,
    access: GitAccess,
    protocol: GitProtocol,
  ): Promise<GitTarget | GitRefusal> {
    const { parents, wikis } = deps;
    const place = (await parents.project(path, who)) ?? (await parents.group(path, who));
    const caller = place?.kind === 'project' ? await onProject(who, place) : who;
    if (!place || !wikis.sees(caller, place)) return notFound;
    if (forbids(place.gitProtocol, caller, protocol)) return wrongProtocol(protocol);
    if (!deps.scopesAllow(caller, access)) return refused('scope', `The token needs the scope ${access}_repository.`);
    if (!wikis.may(caller, access, place) || (access === 'write' && caller.credential.kind === 'job'))
      return refused('forbidden', `You are not allowed to ${access === 'read' ? 'read' : 'write to'} this wiki.`);
    const wiki = await wikis.open(caller, place);
    if (wiki === null) return refused('empty', 'This wiki has no pages yet.');
    const fullPath = `${pathOf(place)}${wikiSuffix}`;
    const repository = opened(wikis.transport, wiki, caller);
    return {
      refusal: null,
      kind: 'wiki',
      subject: place,
      repository,
      caller,
      fullPath,
      moved: isFormerPath(place, path),
    };
  }

  /** The snippet `id` of the project at `path`, or of nobody's project. */
  async function openSnippet(
    path: string | undefined,
    id: number,
    who: Caller,
    access: GitAccess,
    protocol: GitProtocol,
  ): Promise<GitTarget | GitRefusal> {
    const { parents, snippets } = deps;
    const subject = path === undefined ? null : await parents.project(path, who);
    if (path !== undefined && !subject) return notFound;
    const caller = subject ? await onProject(who, subject) : who;
    const found = await snippets.find(caller, subject, id);
    if (!found) return notFound;
    if (forbids(subject?.gitProtocol, caller, protocol)) return wrongProtocol(protocol);
    if (!deps.scopesAllow(caller, access)) return refused('scope', `The token needs the scope ${access}_repository.`);
    if (access === 'write' && (!snippets.writes(caller, found) || caller.credential.kind === 'job'))
      return refused('forbidden', 'You are not allowed to update this snippet.');
    return {
      refusal: null,
      kind: 'snippet',
      subject,
      repository: opened(snippets.transport, found, caller),
      caller,
      fullPath: `${subject ? `${pathOf(subject)}/` : ''}snippets/${id}`,
      moved: subject !== null && path !== undefined && isFormerPath(subject, path),
    };
  }

  /**
   * Loads and authorises what `path` names: `group/project`, a snippet or a wiki, in any case, without `.git`. Where a push begins
   * (`first`) a project is made that is not there.
   */
  return async function open(
    path: string,
    who: Caller,
    access: GitAccess,
    protocol: GitProtocol,
    first: 'first' | null = null,
  ): Promise<GitTarget | GitRefusal> {
    if (forbids(await deps.protocols(), who, protocol)) return wrongProtocol(protocol);
    const maintenance = access === 'write' ? await deps.maintenance() : null;
    if (maintenance) return refused('maintenance', maintenanceText(closed, maintenance));
    let subject = await deps.parents.project(path, who);
    if (!subject && path.endsWith(wikiSuffix))
      return await openWiki(path.slice(0, -wikiSuffix.length), who, access, protocol);
    const [, place, id] = (!subject && snippetPath.exec(path)) || [];
    if (id !== undefined) return await openSnippet(place, Number(id), who, access, protocol);
    if (!subject && first && access === 'write' && deps.scopesAllow(who, access)) {
      const found = await deps.newProject(path, who, protocol);
      if ('problem' in found) return refused('unmade', found.problem);
      if (found.made) subject = await deps.parents.project(path, who);
    }
    const caller = subject ? await onProject(who, subject) : who;
    if (!subject || !canOnProject(caller, 'read_project', subject)) return notFound;
    if (forbids(subject.gitProtocol, caller, protocol)) return wrongProtocol(protocol);
    if (!deps.scopesAllow(caller, access)) return refused('scope', `The token needs the scope ${access}_repository.`);
    const can = canOnProject(caller, access === 'read' ? 'read_code' : 'push_code', subject);
    const shared = access === 'write' && !can && (await deps.collaborates(subject, caller)).size > 0;
    if (!can && !shared) {
      // The job's own project is always readable to it: it fetches what it runs.
      const { credential } = caller;
      const own = access === 'read' && credential.kind === 'job' && credential.job.project_id === subject.project.id;
      if (!own) return refused('forbidden', denial(caller, access, subject));
    }
    // A push is somebody's: its pipelines run in their name.
    if (access === 'write' && caller.credential.kind === 'deploy_key' && caller.user === null)
      return refused('forbidden', 'The account of who made this deploy key is gone or not active: the key only reads.');
    if (access === 'write' && caller.credential.kind === 'job') {
      if (caller.credential.job.project_id !== subject.project.id)
        return refused('forbidden', 'A job token pushes to its own project only.');
      if (!subject.project.ci_push_repository_for_job_token_allowed)
        return refused(
          'forbidden',
          'A job token cannot push to this project (ci_push_repository_for_job_token_allowed is off).',
        );
    }
    const repository = opened(deps.transport, subject, caller);
    const moved = isFormerPath(subject, path);
    return { refusal: null, kind: 'code', subject, repository, caller, fullPath: pathOf(subject), moved };
  };
}
export type OpenGit = ReturnType<typeof gitAccess>;

const pathOf = (place: Subject): string =>
  place.kind === 'project' ? `${place.namespace.full_path}/${place.project.path}` : place.group.full_path;

function denial({ credential }: Caller, access: GitAccess, { project }: ProjectSubject): string {
  if (access === 'read') return 'You are not allowed to download code from this project.';
  if (credential.kind === 'deploy_key' && !credential.canPush)
    return 'This deploy key does not have write access to this project.';
  if (project.archived) return 'This project is archived: it can be read, and takes no pushes.';
  if (project.marked_for_deletion_on !== null) return 'This project waits for its deletion: it takes no pushes.';
  return 'You are not allowed to push code to this project.';
}
