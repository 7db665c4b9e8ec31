/** Projects that `git push` makes: at a path that is free, in a namespace where whoever pushes may make some. */
import { type GitProtocol, letsIn } from '../../../kernel/authz/git-protocols.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { findNamespaceSubject, findProjectSubject } from '../access/parents.queries.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { mayCreateIn, type ProjectService } from './projects.service.ts';
import { keepPushed, takePushed } from './pushed.queries.ts';

/** What became of the wish: nothing where it is not theirs to make, which is told to nobody. */
export type MadeByPush = { readonly made: boolean } | { readonly problem: string };

/** Who acts as a person: keys and tokens of machines, and jobs, make no projects. */
const people: ReadonlySet<Caller['credential']['kind']> = new Set(['oauth', 'password', 'ssh_key', 'token']);

/** The words of a record that cannot be saved, as one line: `Path is a reserved name, Name has already been taken`. */
function wordsOf({ body }: HttpError): string {
  const shown: unknown = 'message' in body ? body.message : body.error;
  if (typeof shown !== 'object' || shown === null) return String(shown);
  const noun = (field: string) => `${field.charAt(0).toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;
  return Object.entries(shown)
    .flatMap(([field, reasons]) => [reasons].flat().map((reason) => `${noun(field)} ${String(reason)}`))
    .join(', ');
}

export function pushedProjects(deps: NamespacesDependencies, projects: ProjectService) {
  const { db, externalUrl, sshPrefix } = deps;

  /** Makes a private project at a path at which there is none and was none before. Throws what is not the caller's fault. */
  async function make(path: string, caller: Caller, protocol: GitProtocol): Promise<MadeByPush> {
    const { user } = caller;
    const slash = path.lastIndexOf('/');
    if (!user || !people.has(caller.credential.kind) || slash <= 0) return { made: false };
    const space = await findNamespaceSubject(db, path.slice(0, slash), user.id);
    // An id is no path.
    if (space?.group.full_path.toLowerCase() !== path.slice(0, slash).toLowerCase()) return { made: false };
    if (!letsIn(space.gitProtocol, protocol) || !mayCreateIn(caller, space)) return { made: false };
    const wanted = { path: path.slice(slash + 1), namespace_id: space.group.id, visibility: 'private' as const };
    try {
      const { project } = await projects.create(caller, wanted);
      await keepPushed(db, { project_id: project.id, user_id: user.id, protocol });
      return { made: true };
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      // Somebody else was faster: it is a push to a project that is there.
      if (await findProjectSubject(db, path, user.id)) return { made: true };
      return { problem: `Could not create project: ${wordsOf(error)}` };
    }
  }

  /** What whoever made the project reads at the end of the push that did. */
  async function lines({ project, namespace }: ProjectSubject, caller: Caller): Promise<readonly string[]> {
    const made = caller.user && (await takePushed(db, project.id, caller.user.id));
    if (!made) return [];
    const fullPath = `${namespace.full_path}/${project.path}`;
    return [
      `The private project ${fullPath} was successfully created.`,
      '',
      'To configure the remote, run:',
      `  git remote add origin ${(made.protocol === 'ssh' && sshPrefix()) || `${externalUrl}/`}${fullPath}.git`,
      '',
      'To view the project, visit:',
      `  ${externalUrl}/${fullPath}`,
      '',
    ];
  }

  return { make, lines };
}

export type PushedProjects = ReturnType<typeof pushedProjects>;
