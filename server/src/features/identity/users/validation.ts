/** What names, addresses, links and passwords of accounts may be, in the words that clients know. */
import { invalidRecord, plainError } from '../../../kernel/http/errors.ts';
import { isMailAddress } from '../../../kernel/mail/index.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import { isCommonPassword, longestPassword } from '../passwords/index.ts';

const usernamePattern = /^(?:[A-Za-z0-9_.][A-Za-z0-9_.-]*[A-Za-z0-9_-]|[A-Za-z0-9_])$/;
const longestText = 255;

const usernameReason =
  "can contain only letters, digits, '_', '-' and '.', and must not start with '-' or end in '.', '.git' or '.atom'.";

export function textReasons(value: string): string[] {
  if (value.trim() === '') return ["can't be blank"];
  return value.length > longestText ? [`is too long (maximum is ${longestText} characters)`] : [];
}

export function usernameReasons(username: string): string[] {
  const usable = usernamePattern.test(username) && !/\.(git|atom)$/i.test(username);
  return textReasons(username).concat(usable ? [] : [usernameReason]);
}

export const emailReasons = (email: string): string[] =>
  textReasons(email).concat(isMailAddress(email) ? [] : ['is invalid']);

/** The names of the account, which its password must not be made of. */
interface Named {
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

export function passwordReasons(password: string, of: Named, settings: ApplicationSettings): string[] {
  const minimum = settings.minimum_password_length;
  if (password.length < minimum) return [`is too short (minimum is ${minimum} characters)`];
  if (password.length > longestPassword) return [`is too long (maximum is ${longestPassword} characters)`];
  const reasons: string[] = [];
  const require = (wanted: boolean, pattern: RegExp, what: string) => {
    if (wanted && !pattern.test(password)) reasons.push(`requires at least one ${what}`);
  };
  require(settings.password_number_required, /\p{Nd}/u, 'number');
  require(settings.password_symbol_required, /[^\p{L}\p{N}\s]/u, 'symbol character');
  require(settings.password_uppercase_required, /\p{Lu}/u, 'uppercase letter');
  require(settings.password_lowercase_required, /\p{Ll}/u, 'lowercase letter');
  const names = [of.username, of.name, of.email];
  if (isCommonPassword(password, names))
    reasons.push('must not contain commonly used combinations of words and letters');
  return reasons;
}

/** Links that a page shows must not run anything. */
export function linkReasons(url: string): string[] {
  if (url === '') return [];
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? [] : ['must be a valid URL'];
}

/** Throws the API's 400 when a field has reasons. */
export function check(fields: Readonly<Record<string, readonly string[]>>): void {
  const wrong = Object.entries(fields).filter(([, reasons]) => reasons.length > 0);
  if (wrong.length > 0) throw invalidRecord(Object.fromEntries(wrong));
}

export const usernameTaken = () => plainError(409, 'Username has already been taken');
export const emailTaken = () => plainError(409, 'Email has already been taken');
