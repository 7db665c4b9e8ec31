/** Whose snippets a page shows, and how one gets from one of its pages to another. */
import { useNavigate } from '@tanstack/react-router';
import { snippetsOf } from '../../lib/snippets.ts';
import { toSegment } from '../../lib/urls.ts';

export interface SnippetPlace {
  /** Full path of the project; null for personal ones. */
  readonly project: string | null;
  /** Of the place, for the title of the window. */
  readonly name: string;
  /** Whether the caller may create snippets here. */
  readonly creates: boolean;
  /** Whether the caller may change and delete everybody's. */
  readonly administers: boolean;
}

/** The route and its parameters of `rest` below `/-/snippets`. */
export const snippetLink = (project: string | null, rest: string) =>
  project === null
    ? ({ to: '/-/snippets/$', params: { _splat: rest } } as const)
    : ({ to: '/p/$path/snippets/$', params: { path: toSegment(project), _splat: rest } } as const);

export function useSnippets({ project }: SnippetPlace) {
  const navigate = useNavigate();
  const { key, list, one, create, change, remove } = snippetsOf(project);
  return { key, list, one, create, change, remove, go: (rest: string) => navigate(snippetLink(project, rest)) };
}
