/** The project that the address names, and what the person who looks may do with it. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { sessionQuery } from '../../lib/session.ts';
import { fromSegment } from '../../lib/urls.ts';

/** Levels of members, as in the API. */
export const level = { guest: 10, planner: 15, reporter: 20, developer: 30, maintainer: 40, owner: 50 } as const;

/** Whether a feature of a project or group is there for somebody, by its access level: its tab leads nowhere else. */
export const featureIsOpen = (access: string | undefined, own: number): boolean =>
  access !== 'disabled' && (access !== 'private' || own >= level.guest);

export interface ProjectInView {
  readonly project: Schemas['Project'];
  /** Full path: `group/project`. */
  readonly path: string;
  /** The same as one segment of the router. */
  readonly segment: string;
  readonly parts: ReturnType<typeof data.of>;
  /** The caller's level; an administrator counts as owner. */
  readonly level: number;
  /** Whether characters of code that nobody sees are shown and told. Who may not know the project's choice is warned. */
  readonly warn: boolean;
}

/** Somebody's level in a project; an administrator's and the owner's of a personal one is that of owners. */
export function levelIn(
  project: Schemas['Project'],
  user: { readonly id: number; readonly is_admin?: boolean } | null | undefined,
): number {
  const owns = user && (user.is_admin || project.owner?.id === user.id);
  const { project_access: direct, group_access: inherited } = project.permissions ?? {};
  return owns ? level.owner : Math.max(direct?.access_level ?? 0, inherited?.access_level ?? 0);
}

export function useProject(): ProjectInView {
  const { path: segment = '' } = useParams({ strict: false });
  const path = fromSegment(segment);
  const { data: project } = useSuspenseQuery(data.project(path));
  const { data: session } = useQuery(sessionQuery);
  const warn = project.warn_about_potentially_unwanted_characters !== false;
  return { project, path, segment, parts: data.of(path), level: levelIn(project, session?.user), warn };
}
