/** The application under test: composed like the product's, on a database and a directory of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Feature } from '../src/kernel/feature.ts';
import { type ComposedApp, compose } from './compose.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { undeclaredFact } from './fact-check.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface RequestParts {
  /** Sent as `PRIVATE-TOKEN`. */
  readonly token?: string | undefined;
  /** Added to the query; arrays as `name[]`, undefined left out. */
  readonly query?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | FormData;
  /** A body of any type, with its `Content-Type` in `headers`. */
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer, its body parsed when it is JSON, null when it is empty, text otherwise. */
export interface TestResponse<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface TestApp extends Omit<ComposedApp, 'close' | 'listen'> {
  /** Without a trailing slash; also the external URL. */
  readonly url: string;
  readonly database: TestDatabase;
  /** The data directory. */
  readonly directory: string;
  /** A request to the API; `target` is below `/api/v4`. The type is the caller's claim, checked by its assertions. */
  api<T = unknown>(method: Method, target: string, parts?: RequestParts): Promise<TestResponse<T>>;
  /** A request to any path. */
  request<T = unknown>(method: Method, target: string, parts?: RequestParts): Promise<TestResponse<T>>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** More features to mount, for tests of the kernel. */
  readonly features?: readonly Feature[];
  /** Another address for users than the one it listens on. */
  readonly externalUrl?: string;
  /** Runs tasks and delivers facts, as a serving process does; without it they stay in their tables. */
  readonly background?: boolean;
  /** Starts git as children of its own, for tests that count them. */
  readonly ownProcesses?: boolean;
  /** Configuration as the environment gives it. */
  readonly environment?: Readonly<Record<string, string>>;
}

function appendQuery(url: URL, query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const item of value) url.searchParams.append(`${name}[]`, String(item));
    else if (value !== undefined) url.searchParams.append(name, String(value));
  }
}

function bodyOf(parts: RequestParts): { body?: RequestInit['body']; type?: string } {
  if (parts.json !== undefined) return { body: JSON.stringify(parts.json), type: 'application/json' };
  if (parts.form instanceof FormData) return { body: parts.form };
  if (parts.form) return { body: new URLSearchParams(parts.form) };
  if (parts.raw === undefined) return {};
  return { body: typeof parts.raw === 'string' ? parts.raw : new Uint8Array(parts.raw) };
}

async function bodyFrom(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return null;
  return response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text;
}

/**
 * Starts the application on a free loopback port. `close` stops it, fails when it left database connections behind or
 * recorded facts that are not as declared, and removes its files.
 */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = await createTestDatabase();
  const directory = await mkdtemp(path.join(tmpdir(), 'millrace-app-'));
  const { listen, close, ...composed } = await compose(database, directory, options);
  const url = await listen();

  const request = async <T>(method: Method, target: string, parts: RequestParts = {}): Promise<TestResponse<T>> => {
    const address = new URL(url + target);
    appendQuery(address, parts.query ?? {});
    const { body, type } = bodyOf(parts);
    const headers = new Headers(parts.headers);
    if (type) headers.set('Content-Type', type);
    if (parts.token !== undefined) headers.set('PRIVATE-TOKEN', parts.token);
    const init = { method, headers, redirect: 'manual' } as const;
    const response = await fetch(address, body === undefined ? init : { ...init, body });
    if (response.status === 500) console.error(composed.logs.filter((line) => line.includes('"level":"error"')).at(-1));
    return { status: response.status, headers: response.headers, body: (await bodyFrom(response)) as T };
  };

  return {
    ...composed,
    url,
    database,
    directory,
    request,
    api: (method, target, parts) => request(method, `/api/v4${target}`, parts),
    close: async () => {
      const wrong = await undeclaredFact(composed.db);
      await close();
      try {
        await database.drop();
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
      if (wrong !== null) throw new Error(wrong);
    },
  };
}
