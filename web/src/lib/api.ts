/** The page's one way to the server: the public API with the browser's session. */
import { createApiClient, type Schemas } from '@millrace/api-client';
import { noteCursor } from './cursors.ts';
import { fieldSentence, printedFields, sentenceOf, statusSentence } from './error-words.ts';

export type { Schemas };

/** A sign-in that waits for the second factor. */
export interface WaitingSignIn {
  readonly challenge: string;
  readonly methods: readonly ('webauthn' | 'totp' | 'recovery_code')[];
  /** PublicKeyCredentialRequestOptionsJSON. */
  readonly webauthn: unknown;
}

export interface SessionState {
  readonly user: (Schemas['UserAccount'] & { readonly is_admin?: boolean }) | null;
  readonly two_factor: WaitingSignIn | null;
  /** When nothing works any more without a second factor. */
  readonly two_factor_required_until: string | null;
  /** Whether the session has the rights of an administrator now. */
  readonly admin: boolean;
  /** Whether an administrator entered admin mode; null where nobody has to. */
  readonly admin_mode: boolean | null;
  /** The administrator who acts as the user. */
  readonly impersonator: { readonly id: number; readonly username: string; readonly name: string } | null;
  /** Whether the administrator may act as others. */
  readonly impersonation_enabled: boolean;
  /** Nothing can be changed now; what everybody is told. */
  readonly maintenance: { readonly message: string | null } | null;
  /** Whether administrators tell everybody something now. */
  readonly announcements: boolean;
  /** What administrators changed of the frame of all pages. */
  readonly appearance: {
    /** Lines above and below every page; empty where there is none. */
    readonly header_html: string;
    readonly footer_html: string;
    readonly background: string;
    readonly color: string;
    /** Of the navigation bar. */
    readonly logo: string | null;
  } | null;
  /** What administrators set for all pages. */
  readonly pages: {
    /** How much longer they wait before they ask again; 0 for ever. */
    readonly polling_interval_multiplier: number;
    /** Jobs that the graph of a pipeline has in a column at first. */
    readonly jobs_per_stage: number;
    readonly suggest_pipeline: boolean;
  };
  readonly csrf_token: string;
}

const nobody: SessionState = {
  user: null,
  two_factor: null,
  two_factor_required_until: null,
  admin: false,
  admin_mode: null,
  impersonator: null,
  impersonation_enabled: false,
  maintenance: null,
  announcements: false,
  appearance: null,
  pages: { polling_interval_multiplier: 1, jobs_per_stage: 200, suggest_pipeline: true },
  csrf_token: '',
};

let csrfToken: string | undefined;

/** The typed client. Throwing is left to `unwrap`. */
export const client = createApiClient({ url: '', csrfToken: () => csrfToken });
client.use({ onResponse: ({ response }) => void noteCursor(response.headers.get('x-live-cursor')) });

/** An answer that was no success, in sentences. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Reasons by field, for forms; empty when the answer names none. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Why it was refused, in a word, where a page can do something about it. */
  readonly reason: string | null;

  constructor(
    status: number,
    message: string,
    fields: Readonly<Record<string, readonly string[]>> = {},
    reason: string | null = null,
  ) {
    super(message);
    this.status = status;
    this.fields = fields;
    this.reason = reason;
  }
}

/** What is not there, or not for whoever asks. */
export const missing = (): ApiError => new ApiError(404, 'This page does not exist, or you do not have access to it.');
export const forbidden = (): ApiError => new ApiError(403, 'You do not have permission to view this page.');
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** All reasons of some fields, each a sentence. */
export const fieldSentences = (fields: Readonly<Record<string, readonly string[]>>): string[] =>
  Object.entries(fields).flatMap(([name, reasons]) => [
    ...new Set(reasons.map((reason) => fieldSentence(name, reason))),
  ]);

/** Reads `{message}`, `{message: {field: [...]}}` and `{error: "name is missing"}`. */
function apiError(status: number, body: unknown): ApiError {
  const value =
    typeof body === 'object' && body !== null
      ? (body as { message?: unknown; error?: unknown; error_description?: unknown; reason?: unknown })
      : {};
  if (typeof value.message === 'object' && value.message !== null && !Array.isArray(value.message)) {
    const fields = Object.fromEntries(
      Object.entries(value.message).map(([key, reasons]) => [key, [reasons].flat().map(String)]),
    );
    return new ApiError(status, fieldSentences(fields).join(' '), fields);
  }
  const text = value.message ?? value.error_description ?? value.error;
  const printed = typeof text === 'string' ? printedFields(text) : null;
  if (printed) return new ApiError(status, fieldSentences(printed).join(' '), printed);
  const fields: Record<string, string[]> = {};
  if (typeof value.error === 'string') {
    for (const reason of value.error.split(', ')) {
      const match = /^([a-z_]+) (.+)$/.exec(reason);
      if (match?.[1] && match[2]) fields[match[1]] = [match[2]];
    }
  }
  return new ApiError(
    status,
    text === undefined ? statusSentence(status) : [text].flat().map(String).map(sentenceOf).join(' '),
    fields,
    typeof value.reason === 'string' ? value.reason : null,
  );
}

/** The data of an answer; throws `ApiError` otherwise. */
export async function unwrap<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call.catch(() => {
    throw apiError(0, null);
  });
  if (!response.ok) throw apiError(response.status, error);
  return data as T;
}

/** One page of a list. */
export interface Paged<T> {
  readonly items: T[];
  readonly nextPage: number | null;
  readonly total: number | null;
}

/** Data of a list with what its headers say about the next page. */
export async function unwrapPage<T>(
  call: Promise<{ data?: T[]; error?: unknown; response: Response }>,
): Promise<Paged<T>> {
  const answer = await call.catch(() => {
    throw apiError(0, null);
  });
  if (!answer.response.ok) throw apiError(answer.response.status, answer.error);
  const next = answer.response.headers.get('x-next-page');
  const total = answer.response.headers.get('x-total');
  return { items: answer.data ?? [], nextPage: next ? Number(next) : null, total: total ? Number(total) : null };
}

type ListAnswer<T> = Promise<{ data?: T[]; error?: unknown; response: Response }>;

/**
 * The whole of a list that a page shows as one: follows the answer's link to the next page until there is none, so that
 * nothing beyond the first hundred is left out.
 */
export async function unwrapAll<T>(call: ListAnswer<T>): Promise<T[]> {
  const { data, error, response } = await call.catch(() => {
    throw apiError(0, null);
  });
  if (!response.ok) throw apiError(response.status, error);
  const all = [...(data ?? [])];
  for (let next = nextAddress(response); next !== null; ) {
    const answer = await fetch(next).catch(() => {
      throw apiError(0, null);
    });
    if (!answer.ok) throw apiError(answer.status, await answer.json().catch(() => null));
    all.push(...((await answer.json()) as T[]));
    next = nextAddress(answer);
  }
  return all;
}

/** Where the list goes on. The link is of the instance's own address, which may not be the one that the page was opened by. */
function nextAddress(response: Response): URL | null {
  const link = /<([^>]+)>; *rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  if (link === undefined) return null;
  const next = new URL(response.url);
  next.search = new URL(link).search;
  return next;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A request as it is, with the session: for the reference, which shows the answer whatever it is. */
export function sendRaw(request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}): Promise<Response> {
  const { method, url, headers, body } = request;
  const csrf: Record<string, string> =
    csrfToken !== undefined && !safeMethods.has(method) ? { 'X-CSRF-Token': csrfToken } : {};
  return fetch(url, { method, headers: { ...headers, ...csrf }, ...(body === undefined ? {} : { body }) }).catch(() => {
    throw apiError(0, null);
  });
}

/** Data of a list that is walked from page to page by its links. */
export async function unwrapKeyset<T>(
  call: Promise<{ data?: T[]; error?: unknown; response: Response }>,
): Promise<{ items: T[]; cursor: string | null }> {
  const answer = await call.catch(() => {
    throw apiError(0, null);
  });
  if (!answer.response.ok) throw apiError(answer.response.status, answer.error);
  const next = /<([^>]+)>; *rel="next"/.exec(answer.response.headers.get('link') ?? '')?.[1];
  return { items: answer.data ?? [], cursor: next ? new URL(next, location.href).searchParams.get('cursor') : null };
}

/** The answer of what stands beside the API, for pages alone; a refusal is an error with its reasons. */
async function pageAnswer(method: string, path: string, body?: unknown): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(csrfToken ? { 'X-CSRF-Token': csrfToken } : {}),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw apiError(0, null);
  });
  noteCursor(response.headers.get('x-live-cursor'));
  if (!response.ok) throw apiError(response.status, await response.json().catch(() => null));
  return response;
}

/** A call of what stands beside the API, for pages alone: sessions, signing up, new passwords. */
export async function pageCall<T>(method: string, path: string, body?: unknown): Promise<T | null> {
  const response = await pageAnswer(method, path, body);
  const value: unknown = response.status === 204 ? null : await response.json().catch(() => null);
  return value as T | null;
}

async function sessionCall(method: string, body?: unknown, below = ''): Promise<SessionState> {
  const state = (await pageCall<SessionState>(method, `/-/session${below}`, body)) ?? nobody;
  csrfToken = state.csrf_token;
  return state;
}

/** Who is signed in; also fetches the token that unsafe calls carry. */
export const readSession = (): Promise<SessionState> => sessionCall('GET');
export const signIn = (
  login: string,
  password: string,
  remember: boolean,
  acceptTerms = false,
): Promise<SessionState> =>
  sessionCall('POST', { login, password, remember, ...(acceptTerms ? { accept_terms: true } : {}) });
/** The second half of a sign-in: a code, or what a security key signed. */
export const proveSignIn = (
  challenge: string,
  proof: { code: string } | { webauthn: unknown },
): Promise<SessionState> => sessionCall('POST', { challenge, ...proof }, '/two_factor');
export const enterAdminMode = (password: string, code: string): Promise<SessionState> =>
  sessionCall('POST', { password, ...(code ? { code } : {}) }, '/admin_mode');
/** Gives an administrator's rights back; who is signed in stays. */
export async function leaveAdminMode(): Promise<SessionState> {
  const token = csrfToken;
  await sessionCall('DELETE', undefined, '/admin_mode');
  csrfToken = token;
  return await readSession();
}
/** From now on the session stands for somebody else. */
export const impersonate = (userId: number): Promise<SessionState> =>
  sessionCall('POST', { user_id: userId }, '/impersonation');
export const stopImpersonating = (): Promise<SessionState> => sessionCall('DELETE', undefined, '/impersonation');
/** Ends the session; the address to go to then. */
export async function signOut(): Promise<string> {
  const { headers } = await pageAnswer('DELETE', '/-/session');
  const next = headers.get('location') ?? '/users/sign_in';
  return /^https?:$/.test(new URL(next, location.href).protocol) ? next : '/users/sign_in';
}
