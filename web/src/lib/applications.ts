/** Applications: those that somebody registered, and those that may use an account. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';

export type Application = Schemas['Application'];
export type NewApplication = Schemas['ApplicationWithSecret'];
export type Authorized = Schemas['AuthorizedApplication'];

export interface ApplicationDraft {
  readonly name: string;
  readonly redirect_uri: string;
  readonly scopes: string;
  readonly confidential: boolean;
  readonly trusted?: boolean;
}

/** Applications of one owner: the same things to do with each, by different routes. */
export interface ApplicationSource {
  /** Under which lists are kept. */
  readonly key: readonly string[];
  /** Whether people need not be asked by them. */
  readonly trusts: boolean;
  list(): Promise<Application[]>;
  create(draft: ApplicationDraft): Promise<NewApplication>;
  change(id: number, draft: ApplicationDraft): Promise<Application>;
  renew(id: number): Promise<NewApplication>;
  remove(id: number): Promise<unknown>;
}

const all = { query: { per_page: 100 } };
const one = (id: number) => ({ params: { path: { id } } });

export const ownApplications: ApplicationSource = {
  key: ['user', 'applications'],
  trusts: false,
  list: () => unwrap(client.GET('/user/applications', { params: all })),
  create: (body) => unwrap(client.POST('/user/applications', { body })),
  change: (id, body) => unwrap(client.PUT('/user/applications/{id}', { ...one(id), body })),
  renew: (id) => unwrap(client.POST('/user/applications/{id}/renew-secret', one(id))),
  remove: (id) => unwrap(client.DELETE('/user/applications/{id}', one(id))),
};

export const instanceApplications: ApplicationSource = {
  key: ['applications'],
  trusts: true,
  list: () => unwrap(client.GET('/applications', { params: all })),
  create: (body) => unwrap(client.POST('/applications', { body })),
  change: (id, body) => unwrap(client.PUT('/applications/{id}', { ...one(id), body })),
  renew: (id) => unwrap(client.POST('/applications/{id}/renew-secret', one(id))),
  remove: (id) => unwrap(client.DELETE('/applications/{id}', one(id))),
};

export const groupApplications = (path: string): ApplicationSource => {
  const id = path;
  const below = (application_id: number) => ({ params: { path: { id, application_id } } });
  return {
    key: ['group', path, 'applications'],
    trusts: false,
    list: () => unwrapAll(client.GET('/groups/{id}/applications', { params: { path: { id }, ...all } })),
    create: (body) => unwrap(client.POST('/groups/{id}/applications', { params: { path: { id } }, body })),
    change: (application, body) =>
      unwrap(client.PUT('/groups/{id}/applications/{application_id}', { ...below(application), body })),
    renew: (application) =>
      unwrap(client.POST('/groups/{id}/applications/{application_id}/renew-secret', below(application))),
    remove: (application) => unwrap(client.DELETE('/groups/{id}/applications/{application_id}', below(application))),
  };
};

export const applicationsOf = (source: ApplicationSource) =>
  queryOptions({ queryKey: [...source.key], queryFn: () => source.list() });

export const authorizedApplications = () =>
  queryOptions({
    queryKey: ['user', 'authorized-applications'],
    queryFn: () => unwrap(client.GET('/user/authorized_applications', { params: all })),
  });
export const withdraw = (id: number) => unwrap(client.DELETE('/user/authorized_applications/{id}', one(id)));
