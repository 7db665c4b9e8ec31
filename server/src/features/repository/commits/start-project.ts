/** The other project that a commit may start from: one of the same network of forks that the caller may read. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { forbidden } from '../../../kernel/http/errors.ts';
import { loadProject, type ParentLoader } from '../../../kernel/http/parents.ts';
import { areRelated } from './commits.queries.ts';

/** Undefined for the project itself. Throws 404 for what the caller does not see, 403 for what is no relative. */
export async function startProjectOf(
  { db, parents }: { readonly db: Db; readonly parents: ParentLoader },
  subject: ProjectSubject,
  idOrPath: string,
  caller: Caller,
): Promise<ProjectSubject | undefined> {
  const found = await loadProject(parents, idOrPath, caller, 'read_code');
  if (found.project.id === subject.project.id) return undefined;
  if (!(await areRelated(db, subject.project.id, found.project.id)))
    throw forbidden(
      `Project is not included in the fork network for ${found.namespace.full_name} / ${found.project.name}`,
    );
  return found;
}
