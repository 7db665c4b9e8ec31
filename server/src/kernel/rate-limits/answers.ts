/** What clients hear of limits: the headers of every counted answer, and the refusals. */
import { HttpError, plainText } from '../http/errors.ts';
import type { Count } from './counters.ts';

/** The last date that was written: windows of one length end together. */
let lastDate = { at: 0, text: '' };
function httpDate(at: number): string {
  if (lastDate.at !== at) lastDate = { at, text: new Date(at * 1000).toUTCString() };
  return lastDate.text;
}

/** The standing in a limit. `RateLimit-Limit` is per minute, whatever the window: clients and proxies expect it so. */
export function rateHeaders(name: string, count: Count): Record<string, string> {
  return {
    'RateLimit-Name': name,
    'RateLimit-Limit': String(Math.ceil((count.limit * 60) / count.seconds)),
    'RateLimit-Observed': String(count.observed),
    'RateLimit-Remaining': String(Math.max(0, count.limit - count.observed)),
    'RateLimit-Reset': String(count.resetAt),
    'RateLimit-ResetTime': httpDate(count.resetAt),
  };
}

const refusalHeaders = (name: string, count: Count) => ({
  ...rateHeaders(name, count),
  'Retry-After': String(count.retryAfter),
});

/** 429 of a general limit: the administrator's text, plain. */
export const throttled = (name: string, count: Count, text: string) =>
  plainText(429, `${text === '' ? 'Retry later' : text}\n`, refusalHeaders(name, count));

/** 429 of a named limit, in the API's shape. */
export const requestedTooOften = (name: string, count: Count) =>
  new HttpError(
    429,
    { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    refusalHeaders(name, count),
  );
