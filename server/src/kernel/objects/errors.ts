/** What an object storage elsewhere refuses or fails at: the cause is for the log, clients learn that it cannot be used. */

/** The edge answers 503. */
export class ObjectStorageError extends Error {
  override readonly name = 'ObjectStorageError';
}

interface ServiceError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Only name, status and message: other fields of the service's errors hold key ids and signed text. */
export function reasonOf(error: unknown): string {
  const { name = 'Error', message = '', code, $metadata } = error as ServiceError;
  const status = $metadata?.httpStatusCode;
  // An answer without a body, as to HEAD, has neither.
  const known = name === 'Error' || name === 'Unknown' ? (code ?? '') : name;
  const words = message === 'UnknownError' ? '' : message;
  const reason = [known, status === undefined ? '' : `(${status})`].filter((part) => part !== '').join(' ');
  return [reason, words].filter((part) => part !== '').join(': ') || 'it does not answer';
}

export const isMissing = (error: unknown) => ['NoSuchKey', 'NotFound'].includes((error as ServiceError).name ?? '');
export const statusOf = (error: unknown) => (error as ServiceError).$metadata?.httpStatusCode;
