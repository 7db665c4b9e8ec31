/** What is secret in a hook, opened for a call, and taken out of what is kept of it. */
import type { WebHook } from '../../../kernel/db/rows.ts';
import { OrNull, Str } from '../../../kernel/http/params/schema.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';

export const hookPurpose = 'web_hook';

/** What a header of HTTP can carry: with anything else no event would ever be sent. */
export const headerValue = '^[\\t\\x20-\\x7e\\x80-\\xff]*$';
export const hookToken = OrNull(
  Str({
    maxLength: 2048,
    pattern: headerValue,
    description: 'Sent with each event as proof, in a header: one line of letters of Latin-1; never shown again',
  }),
);

const redacted = '[REDACTED]';
/** Shorter ones are words that stand anywhere. */
const shortestSecret = 4;

/** The pairs of a sealed column. */
export const openedPairs = (secrets: Pick<Secrets, 'open'>, bytes: Buffer | null): Map<string, string> =>
  new Map(bytes === null ? [] : (JSON.parse(secrets.open(bytes, hookPurpose)) as [string, string][]));

/** The address with its masked parts. */
export const wholeUrl = (url: string, values: ReadonlyMap<string, string>): string =>
  url.replaceAll(/\{([^{}]*)\}/g, (placeholder, key: string) => values.get(key) ?? placeholder);

export function openedHook(secrets: Pick<Secrets, 'open'>, hook: WebHook) {
  const variables = openedPairs(secrets, hook.url_variables_sealed);
  const headers = openedPairs(secrets, hook.custom_headers_sealed);
  const token = hook.token_sealed === null ? null : secrets.open(hook.token_sealed, hookPurpose);
  const values = [...variables.values(), ...headers.values(), ...(token === null ? [] : [token])]
    .filter((value) => value.length >= shortestSecret)
    .sort((a, b) => b.length - a.length);
  return {
    url: wholeUrl(hook.url, variables),
    headers,
    token,
    /** Receivers that send back what they got must not tell those who may not read it. */
    mask: (text: string) => values.reduce((masked, value) => masked.replaceAll(value, redacted), text),
  };
}

export const redact = () => redacted;
