/** What stands behind an address of names only: a project, a person or a group. */
import { redirect } from '@tanstack/react-router';
import { userByName } from '../../lib/accounts.ts';
import { isMissing, missing, type Schemas } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { groupLevel, groupsBelow, projectsIn } from '../../lib/groups.ts';
import { gitAddresses } from '../../lib/instance.ts';
import { oldPageIn } from '../../lib/old-pages.ts';
import { queries } from '../../lib/queries.ts';
import { fileInView, lastCommits } from '../../lib/repository.ts';
import { currentSession } from '../../lib/session.ts';
import { toSegment } from '../../lib/urls.ts';

export type NamedObject = { readonly kind: 'project' | 'group' | 'user'; readonly path: string };

/** A private profile has no followers for others, and says so with 404. */
const unlessMissing = (call: Promise<unknown>) =>
  call.catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });

async function loadProfile(id: number): Promise<void> {
  const of = (await import('../../lib/users.ts')).ofUser(id);
  await Promise.all([
    queries.ensureQueryData(of.details()),
    queries.ensureQueryData(of.status()),
    unlessMissing(queries.ensureQueryData(of.projects())),
    unlessMissing(queries.ensureQueryData(of.followers())),
    unlessMissing(queries.ensureQueryData(of.following())),
  ]);
}

/** The router's path of an address without `/-/` that names a page of a project; null for any other. */
export function oldAddress(path: string): string | null {
  const segments = path.split('/');
  const at = oldPageIn(segments);
  if (at === -1) return null;
  return `/p/${toSegment(segments.slice(0, at).join('/'))}/${segments.slice(at).map(encodeURIComponent).join('/')}`;
}

/** The path of the README of a project's default branch, which the address of its page ends with. */
export function readmeOf({ readme_url, default_branch }: Pick<Schemas['Project'], 'readme_url' | 'default_branch'>) {
  const [, place] = readme_url?.split('/-/blob/') ?? [];
  if (!place || !default_branch) return null;
  const shown = decodeURIComponent(place);
  return shown.startsWith(`${default_branch}/`) ? shown.slice(default_branch.length + 1) : null;
}

export async function resolveObject(path: string): Promise<NamedObject> {
  try {
    if (path.includes('/')) {
      const project = await queries.ensureQueryData(data.project(path));
      const ref = project.default_branch;
      const parts = data.of(path);
      if (ref && !project.empty_repo) {
        // What the page asks next is on its way meanwhile.
        const readme = readmeOf(project);
        if (readme !== null) void queries.prefetchQuery(fileInView(path, ref, readme));
        void queries.prefetchQuery(lastCommits(path, ref, '', 1));
        await Promise.all([
          queries.ensureInfiniteQueryData(parts.tree(ref, '')),
          queries.ensureQueryData(parts.commits({ ref, folder: '', perPage: 1 })),
        ]);
      } else await queries.ensureQueryData(gitAddresses(path));
      return { kind: 'project', path };
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // People are shown to those who are signed in. Groups and people share their names.
  if (!path.includes('/') && (await currentSession()).user) {
    const user = await queries.ensureQueryData(userByName(path)).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    if (user) {
      await loadProfile(user.id);
      return { kind: 'user', path };
    }
  }
  const old = oldAddress(path);
  try {
    // More is asked of what is a group for sure.
    if (old !== null) await queries.ensureQueryData(data.group(path));
    await Promise.all([
      queries.ensureQueryData(data.group(path)),
      queries.ensureQueryData(groupLevel(path)),
      queries.ensureQueryData(groupsBelow(path, {})),
      queries.ensureQueryData(projectsIn(path, {})),
    ]);
    return { kind: 'group', path };
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (old !== null) throw redirect({ to: old, replace: true });
    throw missing();
  }
}
