/** What values of each format must be: the reason why one is refused, or nothing. Pure. */
import { isIP } from 'node:net';
import { parseDuration } from '@millrace/ci-config';
import { branchNameProblem } from '@millrace/git';
import { RE2JS } from 're2js';
import { parseProtection } from './branch-protection.ts';
import type { Format } from './row.ts';

type Check<T> = (value: T) => string | undefined;
const day = 86_400;

function url(value: string): string | undefined {
  if (!URL.canParse(value)) return 'must be a valid URL';
  return /^https?:$/.test(new URL(value).protocol) ? undefined : 'is blocked: Only allowed schemes are http, https';
}

function regex(value: string): string | undefined {
  try {
    RE2JS.compile(value);
    return undefined;
  } catch (error) {
    return `is not a valid regular expression: ${(error as Error).message}`;
  }
}

function range(value: string): boolean {
  const [address = '', bits, ...more] = value.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

const duration = (value: string) => (parseDuration(value) === null ? 'is not a correct duration' : undefined);
const age = (value: string) =>
  duration(value) ?? ((parseDuration(value) ?? 0) < day ? 'must be at least 1 day.' : undefined);
const addresses = (value: string) =>
  value.split(',').every((part) => part.trim() === '' || range(part.trim()))
    ? undefined
    : 'must be a list of IP addresses and ranges';
const branch = (value: string) => (branchNameProblem(value) === null ? undefined : 'is not a valid branch name');

const isWeight = (value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 100;

/** Formats of texts. */
const ofText: Partial<Readonly<Record<Format, Check<string>>>> = {
  url,
  regex,
  duration,
  age,
  addresses,
  branch,
  email: (value) => (/^[^@\s]+@[^@\s]+$/.test(value) ? undefined : 'is invalid'),
  prefix: (value) =>
    /^[A-Za-z0-9_+=/@:.-]*$/.test(value)
      ? undefined
      : "can contain only letters of the Base64 alphabet (RFC4648) with the addition of '@', ':' and '.'",
  file: (value) =>
    /^\/|(^|\/)\.\.(\/|$)/.test(value) ? "can't include leading slash or directory traversal." : undefined,
};

const ofMap: Partial<Readonly<Record<Format, Check<Readonly<Record<string, unknown>>>>>> = {
  protection: (value) => (parseProtection(value) === null ? 'must be a valid json schema' : undefined),
  weights: (value) => {
    const [storage, weight] = Object.entries(value).find(([, each]) => !isWeight(each)) ?? [];
    if (storage === undefined) return undefined;
    return `value for '${storage}' must be ${Number.isInteger(weight) ? 'between 0 and 100' : 'an integer'}`;
  },
  switches: (value) =>
    Object.values(value).every((on) => typeof on === 'boolean') ? undefined : 'must be a valid json schema',
};

/** Why a text is not of the format. */
export const textReason = (format: Format, value: string): string | undefined => ofText[format]?.(value);
/** Why a map is not of the format. */
export const mapReason = (format: Format, value: Readonly<Record<string, unknown>>): string | undefined =>
  ofMap[format]?.(value);

/** Values of a map as a form sends them, made what the format wants. */
export function mapValues(format: Format | undefined, value: Readonly<Record<string, unknown>>) {
  const convert = (item: unknown) => {
    if (typeof item !== 'string') return item;
    if (format === 'weights' && /^\d{1,3}$/.test(item)) return Number(item);
    if (format === 'switches' && /^(true|false)$/.test(item)) return item === 'true';
    return item;
  };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, convert(item)]));
}
