/** What a link of a release may be. */
import { isUniqueViolation } from '../../../kernel/db/index.ts';
import { type HttpError, invalidRecord, plainError } from '../../../kernel/http/errors.ts';
import type { linkTypes } from './releases.entity.ts';

export interface LinkValues {
  readonly name: string;
  readonly url: string;
  /** With a slash in front; null or absent where the link has no address below the release. */
  readonly filepath?: string | null;
  readonly link_type?: (typeof linkTypes)[number];
}

/** As parameters have it: the path has an old name, too. */
export interface GivenLink {
  readonly name?: string;
  readonly url?: string;
  readonly direct_asset_path?: string;
  readonly filepath?: string;
  readonly link_type?: (typeof linkTypes)[number];
}

type Errors = Record<string, string[]>;

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'ftp:']);
const filePath = /^\/(?:[-.\w]+\/)*[-.\w]*[\da-zA-Z]$/;
const longestPath = 128;

function urlErrors(url: string): string[] {
  if (url.trim() === '') return ["can't be blank"];
  if (url.length > 2048) return ['is too long (maximum is 2048 characters)'];
  if (/\s|\p{Cc}/u.test(url) || !URL.canParse(url)) return ['is blocked: URI is invalid'];
  return schemes.has(new URL(url).protocol) ? [] : ['is blocked: Only allowed schemes are http, https, ftp'];
}

function pathErrors(path: string): string[] {
  if (path.length > longestPath) return [`is too long (maximum is ${longestPath} characters)`];
  return filePath.test(path) ? [] : ['is in an invalid format'];
}

function errorsOf({ name, url, filepath }: Partial<LinkValues>): Errors {
  const found: Errors = {};
  const add = (field: string, reasons: string[]) => {
    if (reasons.length > 0) found[field] = reasons;
  };
  if (name !== undefined && name.trim() === '') add('name', ["can't be blank"]);
  if (name !== undefined && name.length > 255) add('name', ['is too long (maximum is 255 characters)']);
  if (url !== undefined) add('url', urlErrors(url));
  if (filepath) add('filepath', pathErrors(filepath));
  return found;
}

/** The values, or 400 with the reasons by field. An empty path takes the path away. */
export function checkedLink<T extends Partial<LinkValues>>(values: T): T {
  const errors = errorsOf(values);
  if (Object.keys(errors).length > 0) throw invalidRecord(errors);
  return values;
}

/** The links that a release is made with: 400 as one text. */
export function checkLinks(links: readonly LinkValues[]): void {
  for (const link of links)
    for (const [field, [reason]] of Object.entries(errorsOf(link)))
      throw plainError(400, `Validation failed: Links ${field} ${reason}`);
  for (const field of ['name', 'url', 'filepath'] as const) {
    const values = links.flatMap((link) => link[field] ?? []);
    const twice = values.filter((value, at) => values.indexOf(value) !== at);
    if (twice.length > 0)
      throw plainError(400, `Validation failed: Links have duplicate values (${[...new Set(twice)].join(', ')})`);
  }
}

/** 400 where another link of the release has the value already; null for other errors. */
export function takenLink(error: unknown): HttpError | null {
  const field = (['name', 'url', 'filepath'] as const).find((each) =>
    isUniqueViolation(error, `release_links_${each}`),
  );
  return field === undefined ? null : invalidRecord({ [field]: ['has already been taken'] });
}

/** Parameters as values of a link. */
export function linkValues(given: GivenLink): Partial<LinkValues> {
  const { direct_asset_path, filepath, ...rest } = given;
  const path = direct_asset_path ?? filepath;
  return { ...rest, ...(path === undefined ? {} : { filepath: path === '' ? null : path }) };
}
