/** The public API for the demo: answers are data, and refusals are errors that say what was asked and why it was refused. */
import { type ApiClient, createApiClient } from '@millrace/api-client';

/** The instance refused or could not be reached; the message is for the person at the terminal. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { message, error: short } = error as { message?: unknown; error?: unknown };
  const reason = message ?? short;
  return typeof reason === 'string' ? reason : JSON.stringify(reason ?? error);
}

/** A client whose failed connection names the instance. */
export function connect(url: string, token: string): ApiClient {
  return createApiClient({
    url,
    token,
    fetch: async (...request) => {
      try {
        return await fetch(...request);
      } catch (cause) {
        throw new DemoError(`${url} does not answer: is the server running?`, { cause });
      }
    },
  });
}

/** The data of an answer; throws DemoError with `what` and the instance's reason otherwise. */
export async function must<T>(what: string, answer: Promise<Answer<T>>): Promise<NonNullable<T>> {
  const { data, error, response } = await answer;
  if (response.ok && data !== undefined && data !== null) return data;
  throw new DemoError(`${what} was refused: ${response.status} ${reasonOf(error)}`.trim());
}

/** Whether a thing is there: 404 is no, everything else that is no success is an error. */
export async function exists<T>(what: string, answer: Promise<Answer<T>>): Promise<boolean> {
  const settled = await answer;
  if (settled.response.status === 404) return false;
  await must(what, Promise.resolve(settled));
  return true;
}
