/** The pages of snippets, of a person and of a project: which one the address means. */
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { missing } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { snippetView } from '../../lib/snippets.ts';
import { level, useProject } from '../projects/useProject.ts';
import { EditSnippet, NewSnippet } from './SnippetForms.tsx';
import { SnippetList } from './SnippetList.tsx';
import { SnippetPage } from './SnippetPage.tsx';
import type { SnippetPlace } from './useSnippets.ts';

function View({ place, page, everybody }: { place: SnippetPlace; page: number; everybody: boolean }) {
  const { _splat: rest = '' } = useParams({ strict: false });
  const view = snippetView(rest);
  if (!view) throw missing();
  if (view.kind === 'new') return <NewSnippet place={place} />;
  if (view.kind === 'edit') return <EditSnippet key={view.id} place={place} id={view.id} />;
  if (view.kind === 'one') return <SnippetPage key={view.id} place={place} id={view.id} />;
  return <SnippetList place={place} page={page} everybody={everybody} />;
}

export function ProjectSnippets() {
  const { project, path, ...view } = useProject();
  const { page = 1 } = useSearch({ from: '/p/$path/snippets/$' });
  const { data: session } = useQuery(sessionQuery);
  const writes = !project.archived && session?.user != null;
  const place = {
    project: path,
    name: project.name_with_namespace,
    creates: writes && view.level >= level.reporter,
    administers: writes && view.level >= level.maintainer,
  };
  return <View place={place} page={page} everybody={false} />;
}

export function PersonalSnippets() {
  const { page = 1, scope } = useSearch({ from: '/-/snippets/$' });
  const { data: session } = useQuery(sessionQuery);
  const user = session?.user ?? null;
  const place = { project: null, name: 'Snippets', creates: user !== null, administers: user?.is_admin === true };
  return <View place={place} page={page} everybody={scope === 'public'} />;
}
