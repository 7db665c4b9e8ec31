/** The wire as a script sees it. */
import assert from 'node:assert/strict';

export interface Reply<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Api {
  readonly url: string;
  readonly token: string;
  call<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Reply<T>>;
  /** Calls and insists on the status. */
  expect<T = Record<string, unknown>>(status: number, method: string, path: string, body?: unknown): Promise<T>;
}

export function api(url: string, token: string): Api {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<Reply<T>> => {
    const response = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: {
        ...(token ? { 'PRIVATE-TOKEN': token } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type') === 'application/json';
    return {
      status: response.status,
      headers: response.headers,
      body: (json && text !== '' ? JSON.parse(text) : text) as T,
    };
  };
  return {
    url,
    token,
    call,
    async expect<T>(status: number, method: string, path: string, body?: unknown) {
      const reply = await call<T>(method, path, body);
      assert.equal(reply.status, status, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    },
  };
}

/** Polls until `probe` gives a value; the last error or a plain timeout otherwise. */
export async function until<T>(
  what: string,
  seconds: number,
  probe: () => Promise<T | null | undefined | false>,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
