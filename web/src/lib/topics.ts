/** Topics of the instance, and the projects that have one. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, missing, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Topic = Schemas['Topic'];

/** Those of most projects first. */
export const topics = (search: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['topics', 'list', search],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/topics', { params: { query: { per_page: 50, page: pageParam, ...(search ? { search } : {}) } } }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const topicByName = (name: string) =>
  queryOptions({
    queryKey: ['topics', 'name', name],
    queryFn: async () => {
      const found = await unwrap(client.GET('/topics', { params: { query: { search: name, per_page: 100 } } }));
      const topic = found.find((each) => each.name.toLowerCase() === name.toLowerCase());
      if (!topic) throw missing();
      return topic;
    },
  });

export const projectsWithTopic = (name: string, page: number) =>
  queryOptions({
    queryKey: ['projects', 'topic', name, page],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects', {
          params: { query: { 'topic[]': [name], order_by: 'star_count', sort: 'desc', per_page: 20, page } },
        }),
      ),
  });

/** Names that begin or go on like a text, for fields. */
export const topicNames = (search: string) =>
  queryOptions({
    queryKey: ['topics', 'names', search],
    queryFn: async () => {
      const found = await unwrap(
        client.GET('/topics', { params: { query: { per_page: 20, ...(search ? { search } : {}) } } }),
      );
      return found.map(({ name }) => name);
    },
  });
