/** Requests of a test file to its application, with a token and JSON at most. */
import type { TestApp, TestResponse } from './app.ts';

type Json = Record<string, unknown>;
type Call = <Body = Json>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  token?: { readonly secret: string },
  json?: object,
  query?: object,
) => Promise<TestResponse<Body>>;

/** `app` is asked for at each request: a file declares its requests before its application is started. */
export function callsOf(app: () => TestApp): Call {
  return (method, path, token, json, query = {}) =>
    app().api(method, path, { token: token?.secret, ...(json ? { json } : {}), query: { ...query } });
}
