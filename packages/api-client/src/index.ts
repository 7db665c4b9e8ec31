/** A typed client of the v4 API; its types are generated from the server's OpenAPI document. */
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './schema.gen.ts';

export type { components, paths };

/** The JSON shapes of the API by name: `Schemas['Project']`. */
export type Schemas = components['schemas'];

export interface ClientOptions {
  /** Base URL of the instance without a trailing slash; empty for the page's own origin. */
  readonly url: string;
  /** A personal, project or group access token. */
  readonly token?: string;
  /** Called for every unsafe request of a browser session; its value goes into `X-CSRF-Token`. */
  readonly csrfToken?: () => string | undefined;
  readonly fetch?: typeof globalThis.fetch;
}

export type ApiClient = Client<paths>;

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Creates a client. Answers are `{data, error, response}`; nothing throws for an HTTP status. */
export function createApiClient(options: ClientOptions): ApiClient {
  const client = createClient<paths>({
    baseUrl: `${options.url}/api/v4`,
    ...(options.fetch ? { fetch: options.fetch } : {}),
    // Arrays as `name[]=a&name[]=b`, hashes as `name[key]=value`: what the API reads.
    querySerializer: { array: { style: 'form', explode: true }, object: { style: 'deepObject', explode: true } },
  });
  client.use({
    onRequest({ request }) {
      if (options.token) request.headers.set('PRIVATE-TOKEN', options.token);
      const csrf = safe.has(request.method) ? undefined : options.csrfToken?.();
      if (csrf) request.headers.set('X-CSRF-Token', csrf);
      return request;
    },
  });
  return client;
}
