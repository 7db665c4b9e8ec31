/** Which ref and path an address such as `feature/x/src/main.ts` means in a project. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { queries } from '../../lib/queries.ts';
import { splitRef } from '../../lib/urls.ts';
import { useProject } from '../projects/useProject.ts';

export interface Place {
  readonly ref: string;
  readonly path: string;
}

async function resolve(project: Schemas['Project'], text: string): Promise<Place> {
  const main = project.default_branch;
  // git has no branch below another one's name, so the default branch needs no question.
  if (main && (text === main || text.startsWith(`${main}/`))) return splitRef(text, [main]);
  const first = text.split('/', 1)[0] ?? '';
  if (text === first || /^[0-9a-f]{40}$/.test(first)) return splitRef(text, []);
  const options = {
    params: { path: { id: project.path_with_namespace }, query: { search: `^${first}`, per_page: 100 } },
  };
  const [branches, tags] = await Promise.all([
    unwrap(client.GET('/projects/{id}/repository/branches', options)),
    unwrap(client.GET('/projects/{id}/repository/tags', options)),
  ]);
  return splitRef(
    text,
    [...branches, ...tags].map((each) => each.name),
  );
}

const placeQuery = (project: Schemas['Project'], text: string) => ({
  queryKey: ['project', project.path_with_namespace, 'place', text],
  queryFn: () => resolve(project, text),
  staleTime: 60_000,
});

/** The ref and path of the rest of an address. */
export function usePlace(text: string): Place {
  const { project } = useProject();
  return useSuspenseQuery(placeQuery(project, text)).data;
}

/** The same for loaders. */
export const loadPlace = (project: Schemas['Project'], text: string): Promise<Place> =>
  queries.ensureQueryData(placeQuery(project, text));
