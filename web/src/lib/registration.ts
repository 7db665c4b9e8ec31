/** What the instance offers to those who have no session: accounts, new passwords, confirmed addresses. */
import { queryOptions } from '@tanstack/react-query';
import { pageCall } from './api.ts';

export interface Registration {
  readonly signup_enabled: boolean;
  readonly password_reset_enabled: boolean;
  readonly require_admin_approval_after_user_signup: boolean;
  readonly email_confirmation_setting: string;
  readonly minimum_password_length: number;
  readonly password_number_required: boolean;
  readonly password_symbol_required: boolean;
  readonly password_uppercase_required: boolean;
  readonly password_lowercase_required: boolean;
  /** What everybody has to accept; null where there is nothing. */
  readonly terms_html: string | null;
  /** Empty where there is nothing. */
  readonly after_sign_up_html: string;
  /** Empty where there is nothing. */
  readonly sign_in_html: string;
  /** How the instance presents itself; empty and null where administrators say nothing. */
  readonly instance: { readonly title: string; readonly description_html: string; readonly logo: string | null };
}

async function answered<T>(call: Promise<T | null>): Promise<T> {
  const value = await call;
  if (value === null) throw new Error('The server sent an empty response');
  return value;
}

export const registrationQuery = queryOptions({
  queryKey: ['registration'],
  queryFn: () => answered(pageCall<Registration>('GET', '/-/registration')),
  staleTime: 60_000,
});

export interface NewAccount {
  readonly username: string;
  readonly state: string;
  readonly confirmed: boolean;
}

export const signUp = (values: {
  username: string;
  name: string;
  email: string;
  password: string;
  terms_accepted: boolean;
}): Promise<NewAccount> => answered(pageCall<NewAccount>('POST', '/-/registration', values));

type Told = { readonly message: string };

export const askForPassword = (email: string): Promise<Told> =>
  answered(pageCall<Told>('POST', '/-/password-reset', { email }));
export const setPassword = (token: string, password: string): Promise<Told> =>
  answered(pageCall<Told>('PUT', '/-/password-reset', { reset_password_token: token, password }));
/** For those whose password has expired: it ends every session of theirs. */
export const changePassword = (login: string, password: string, newPassword: string): Promise<Told> =>
  answered(pageCall<Told>('PUT', '/-/session/password', { login, password, new_password: newPassword }));
export const confirmAddress = (token: string): Promise<{ email: string }> =>
  answered(pageCall<{ email: string }>('POST', '/-/confirmation', { confirmation_token: token }));
export const askForConfirmation = (email: string): Promise<Told> =>
  answered(pageCall<Told>('POST', '/-/confirmation/message', { email }));

/** What a password must have, in one line. */
export function passwordRules(rules: Registration): string {
  const kinds = [
    rules.password_uppercase_required ? 'an upper-case letter' : null,
    rules.password_lowercase_required ? 'a lower-case letter' : null,
    rules.password_number_required ? 'a digit' : null,
    rules.password_symbol_required ? 'a symbol' : null,
  ].filter((kind) => kind !== null);
  const last = kinds.pop();
  const list = kinds.length > 0 ? `${kinds.join(', ')} and ${last}` : last;
  return `At least ${rules.minimum_password_length} characters${list ? `, with ${list}` : ''}`;
}
