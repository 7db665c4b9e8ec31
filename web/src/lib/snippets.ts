/** Snippets: a person's own ones, those that everybody may see, and those of a project. */
import { queryOptions } from '@tanstack/react-query';
import { ApiError, client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Snippet = Schemas['Snippet'];
export type Visibility = Snippet['visibility'];

/** A file in a form; `stored` is its path in the snippet that is changed. */
export interface FileDraft {
  readonly stored?: string;
  readonly path: string;
  readonly content: string;
}

export interface SnippetDraft {
  readonly title: string;
  readonly description: string;
  readonly visibility: Visibility;
  readonly files: readonly FileDraft[];
}

/** What of the address below `/-/snippets` is meant. */
export type SnippetView =
  | { readonly kind: 'list' }
  | { readonly kind: 'new' }
  | { readonly kind: 'one' | 'edit'; readonly id: number };

export function snippetView(rest: string): SnippetView | null {
  if (rest === '') return { kind: 'list' };
  if (rest === 'new') return { kind: 'new' };
  const [, id, edit] = /^([1-9]\d{0,14})(\/edit)?$/.exec(rest) ?? [];
  return id === undefined ? null : { kind: edit ? 'edit' : 'one', id: Number(id) };
}

/** What makes the stored files those of the form. */
export function fileActions(stored: readonly string[], drafts: readonly FileDraft[]) {
  const kept = new Set(drafts.map((draft) => draft.stored));
  return [
    ...stored.filter((path) => !kept.has(path)).map((path) => ({ action: 'delete' as const, file_path: path })),
    ...drafts.map(({ stored: before, path, content }) =>
      before === undefined
        ? { action: 'create' as const, file_path: path, content }
        : before === path
          ? { action: 'update' as const, file_path: path, content }
          : { action: 'move' as const, previous_path: before, file_path: path, content },
    ),
  ];
}

/** Where the bytes of a file are, on this instance. */
const address = (url: string) => new URL(url).pathname;

/** Text of the files, in their order. */
export const snippetTexts = (snippet: Snippet) =>
  queryOptions({
    queryKey: ['snippets', 'texts', snippet.id, snippet.updated_at],
    queryFn: () =>
      Promise.all(
        snippet.files.map(async ({ path, raw_url }) => {
          const answer = await fetch(address(raw_url));
          if (!answer.ok) throw new ApiError(answer.status, `${path} could not be loaded.`);
          return { path, content: await answer.text() };
        }),
      ),
  });

/** Those of a project, or with null personal ones. */
export function snippetsOf(project: string | null) {
  const key = ['snippets', project];
  return {
    key,
    list: (page: number, everybody: boolean) =>
      queryOptions({
        queryKey: [...key, 'list', page, everybody],
        queryFn: () => {
          const query = { page, per_page: 20 };
          if (project !== null)
            return unwrapPage(client.GET('/projects/{id}/snippets', { params: { path: { id: project }, query } }));
          return unwrapPage(client.GET(everybody ? '/snippets/public' : '/snippets', { params: { query } }));
        },
      }),
    one: (id: number) =>
      queryOptions({
        queryKey: [...key, 'one', id],
        queryFn: () =>
          unwrap(
            project === null
              ? client.GET('/snippets/{id}', { params: { path: { id } } })
              : client.GET('/projects/{id}/snippets/{snippet_id}', {
                  params: { path: { id: project, snippet_id: id } },
                }),
          ),
      }),
    create({ files, ...rest }: SnippetDraft) {
      const body = { ...rest, files: files.map(({ path, content }) => ({ file_path: path, content })) };
      return unwrap(
        project === null
          ? client.POST('/snippets', { body })
          : client.POST('/projects/{id}/snippets', { params: { path: { id: project } }, body }),
      );
    },
    change(snippet: Snippet, { files, ...rest }: SnippetDraft) {
      const stored = snippet.files.map(({ path }) => path);
      const body = { ...rest, files: fileActions(stored, files) };
      const { id } = snippet;
      return unwrap(
        project === null
          ? client.PUT('/snippets/{id}', { params: { path: { id } }, body })
          : client.PUT('/projects/{id}/snippets/{snippet_id}', {
              params: { path: { id: project, snippet_id: id } },
              body,
            }),
      );
    },
    remove: (id: number) =>
      unwrap(
        project === null
          ? client.DELETE('/snippets/{id}', { params: { path: { id } } })
          : client.DELETE('/projects/{id}/snippets/{snippet_id}', {
              params: { path: { id: project, snippet_id: id } },
            }),
      ),
  };
}
