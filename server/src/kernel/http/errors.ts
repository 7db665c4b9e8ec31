/** The one catalogue of API errors: each carries its status and its exact body; the edge only serialises it. */

export type ErrorBody = { message: unknown; reason?: string } | { error: string; [key: string]: unknown };

/** An answer that is not a success. Thrown anywhere below a handler; `body` goes to the client as it is. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as plain text instead of the body. */
  readonly text: string | null;

  constructor(
    status: number,
    body: ErrorBody,
    headers: Readonly<Record<string, string>> = {},
    text: string | null = null,
  ) {
    super(typeof body === 'object' && 'message' in body ? String(body.message) : JSON.stringify(body));
    this.status = status;
    this.body = body;
    this.headers = headers;
    this.text = text;
  }
}

/** 400 in the shape of parameter validation: `{error: "name is missing, path is invalid"}`. */
export const invalidParameters = (reasons: readonly string[]) => new HttpError(400, { error: reasons.join(', ') });

/** 400 `{message: "400 Bad request - reason"}`, or `{message: "400 Bad request"}`. */
export const badRequest = (reason?: string) =>
  new HttpError(400, { message: reason ? `400 Bad request - ${reason}` : '400 Bad request' });

/** 400 `{message: {field: [reasons]}}`: a record that cannot be saved. */
export const invalidRecord = (fields: Readonly<Record<string, readonly string[]>>, status = 400) =>
  new HttpError(status, { message: fields });

/** `{message: {error: sentence}}`, as routes of snippets answer. */
export const nestedError = (status: number, error: string) => new HttpError(status, { message: { error } });

/** The reasons of a refused record inside a sentence, as the ecosystem prints them: `{:path=>["is invalid"]}`. */
export const printedReasons = (fields: Readonly<Record<string, readonly string[]>>): string =>
  `{${Object.entries(fields)
    .map(([name, reasons]) => `:${name}=>[${reasons.map((reason) => JSON.stringify(reason)).join(', ')}]`)
    .join(', ')}}`;

/**
 * What `work` refuses as an invalid record becomes one sentence: `Failed to save group {:path=>["is invalid"]}`. Some routes of
 * the ecosystem answer so, and their clients search the message as a text.
 */
export async function savedOr<T>(failure: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 400 || !('message' in error.body)) throw error;
    const { message } = error.body;
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw error;
    throw new HttpError(400, { message: `${failure} ${printedReasons(message as Record<string, string[]>)}` });
  }
}

/** Any status with a plain message, where the ecosystem has a wording of its own. */
export const plainError = (status: number, message: string) => new HttpError(status, { message });

/** The same with a word by which pages tell what happened. */
export const reasonedError = (status: number, message: string, reason: string) =>
  new HttpError(status, { message, reason });

/** An error for clients that show text: git, and the general rate limits. */
export const plainText = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  new HttpError(status, { message: text.trimEnd() }, headers, text);

export const unauthorized = () => new HttpError(401, { message: '401 Unauthorized' });

/** 403 `{message: "403 Forbidden"}`, or with a reason: `403 Forbidden - reason`. */
export const forbidden = (reason?: string) =>
  new HttpError(403, { message: reason ? `403 Forbidden - ${reason}` : '403 Forbidden' });

/** 403 in the OAuth shape, when a token lacks every scope that the route accepts. */
export const insufficientScope = (scopes: readonly string[]) =>
  new HttpError(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: scopes.join(' '),
  });

/** 404 `{message: "404 Project Not Found"}`; without a noun `{message: "404 Not Found"}`. */
export const notFound = (noun?: string) =>
  new HttpError(404, { message: noun ? `404 ${noun} Not Found` : '404 Not Found' });

/**
 * 404 `{message: "404 Not found"}`, where the ecosystem looks a row up by its id or name and answers what its database layer
 * says: the small letter is what clients compare with.
 */
export const recordNotFound = () => new HttpError(404, { message: '404 Not found' });

/** 404 for a route that does not exist: `{error: "404 Not Found"}`, as clients of the API know it. */
export const noSuchRoute = () => new HttpError(404, { error: '404 Not Found' });

export const methodNotAllowed = (allow: readonly string[], shape: 'route' | 'state' = 'route') =>
  new HttpError(405, shape === 'route' ? { error: '405 Not Allowed' } : { message: '405 Method Not Allowed' }, {
    Allow: allow.join(', '),
  });

/** 409 `{message: reason}`, or `{message: "409 Conflict"}`. */
export const conflict = (reason?: string) => new HttpError(409, { message: reason ?? '409 Conflict' });

/** 412: what is deleted changed since the client read it. */
export const preconditionFailed = () => new HttpError(412, { message: '412 Precondition Failed' });

/** 413: the body is larger than the named limit. */
export const tooLarge = (limit: string, maximumBytes: number) =>
  new HttpError(413, { message: `413 Request Entity Too Large - ${limit} is ${maximumBytes} bytes` });

export const unprocessable = (reason: string) => new HttpError(422, { message: reason });

export const unavailable = (reason: string, retryAfterSeconds = 5) =>
  new HttpError(503, { message: `503 Service Unavailable - ${reason}` }, { 'Retry-After': String(retryAfterSeconds) });

/** The only body of a fault of ours: nothing of the cause reaches the client, the request id finds it in the log. */
export const internalError = (requestId: string) =>
  new HttpError(500, { message: '500 Internal Server Error', request_id: requestId } as ErrorBody);
