/** The request of an application or a device, as the person at the browser sees and answers it. */
import { queryOptions } from '@tanstack/react-query';
import { pageCall } from './api.ts';

export interface AskingApplication {
  readonly name: string;
  /** `@name` or the path of a group; null for an administrator's. */
  readonly owner: string | null;
  readonly confidential: boolean;
}
export interface AskedScope {
  readonly name: string;
  readonly meaning: string;
}

export type ConsentView =
  | { readonly location: string }
  | {
      readonly location?: undefined;
      /** False where the person agreed before. */
      readonly ask: boolean;
      readonly application: AskingApplication;
      readonly redirect_host: string;
      readonly scopes: readonly AskedScope[];
    };

/**
 * The query with which this document was opened, letter by letter: the router would write `state=1e3` as `state=1000`. The
 * request is always the first thing that a document shows.
 */
const openedWith = window.location.search;

export const consentRequest = () =>
  queryOptions({
    queryKey: ['oauth', 'request', openedWith],
    queryFn: () => pageCall<ConsentView>('GET', `/-/oauth/authorization${openedWith}`),
    retry: false,
    // The route asks, and the page shows what it was answered, also that the request is invalid.
    retryOnMount: false,
  });

/** Where the browser goes now. */
export async function answerConsent(agreed: boolean): Promise<string> {
  const request = Object.fromEntries(new URLSearchParams(openedWith));
  const answer = await pageCall<{ location: string }>(agreed ? 'POST' : 'DELETE', '/oauth/authorize', request);
  return answer?.location ?? '/';
}

export interface AskingDevice {
  readonly application: AskingApplication;
  readonly scopes: readonly AskedScope[];
}

export const findDevice = (code: string) => pageCall<AskingDevice>('POST', '/-/oauth/device', { user_code: code });
export const answerDevice = (code: string, agreed: boolean) =>
  pageCall<{ authorized: boolean }>(agreed ? 'POST' : 'DELETE', '/oauth/device', { user_code: code });
