/** The wiki that the address names, whether of a project or a group, and what the person who looks may do in it. */
import { wikiOf } from '../../lib/wikis.ts';
import { useGroup } from '../groups/useGroupForm.ts';
import { level, useProject } from '../projects/useProject.ts';

export interface WikiInView {
  readonly kind: 'project' | 'group';
  /** Full path of the place, and the same as one segment of the router. */
  readonly path: string;
  readonly segment: string;
  readonly name: string;
  readonly wiki: ReturnType<typeof wikiOf>;
  readonly writes: boolean;
  readonly removes: boolean;
  readonly addresses: { readonly http: string; readonly ssh: string | null };
}

interface Place {
  readonly archived?: boolean | undefined;
  readonly marked_for_deletion_on?: string | null | undefined;
}

const rights = (place: Place, own: number) => {
  const changes = !place.archived && !place.marked_for_deletion_on;
  return {
    writes: changes && (own >= level.developer || own === level.planner),
    removes: changes && (own >= level.maintainer || own === level.planner),
  };
};

const repository = (address: string): string => `${address.replace(/\.git$/, '')}.wiki.git`;

export function useProjectWiki(): WikiInView {
  const { project, path, segment, level: own } = useProject();
  return {
    kind: 'project',
    path,
    segment,
    name: project.name_with_namespace,
    wiki: wikiOf('project', path),
    ...rights(project, own),
    addresses: { http: repository(project.http_url_to_repo), ssh: repository(project.ssh_url_to_repo) },
  };
}

export function useGroupWiki(): WikiInView {
  const { group, path, segment, level: own } = useGroup();
  return {
    kind: 'group',
    path,
    segment,
    name: group.full_name,
    wiki: wikiOf('group', path),
    ...rights(group, own),
    // The page of a group is below `groups`, its repositories are not.
    addresses: { http: repository(group.web_url.replace(/\/groups\/([^:]*)$/, '/$1')), ssh: null },
  };
}
