/** Acting in somebody's name without a request: work that follows from what they did. */
import type { User } from '../db/rows.ts';
import type { Caller, ProjectSubject } from './subjects.ts';

export interface Acting {
  readonly caller: Caller;
  readonly subject: ProjectSubject;
}

export interface ActingLoaders {
  user(id: number): Promise<User | null>;
  /** With the user's role; null for nobody's. */
  project(id: number, userId: number | null): Promise<ProjectSubject | null>;
}

/** Somebody as themselves, with no credential that narrows what they may. */
export const inPerson = (user: User): Caller & { readonly user: User } => ({
  user,
  credential: { kind: 'none' },
  scopes: null,
  admin: user.admin,
});

/** The user and the project as they are now; null when either is gone or the user is not active. */
export async function actingAs(loaders: ActingLoaders, userId: number, projectId: number): Promise<Acting | null> {
  const user = await loaders.user(userId);
  if (user?.state !== 'active') return null;
  const subject = await loaders.project(projectId, userId);
  if (!subject) return null;
  return { caller: inPerson(user), subject };
}
