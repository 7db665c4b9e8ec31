/** Signing up by oneself, within what the settings allow. */
import { RE2JS } from 're2js';
import { strangerAt } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { invalidRecord, plainError } from '../../../kernel/http/errors.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { letters } from '../mails/index.ts';
import type { Users } from '../users/index.ts';
import { activeAdministrators, countPeople } from './registration.queries.ts';

export interface SignUp {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
  readonly termsAccepted: boolean;
  readonly address: string;
}

export interface RegistrationDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly users: Users;
  readonly mail: Pick<Mail, 'configured' | 'send'>;
  readonly externalUrl: string;
}

/** `example.com`, or `*.example.com` for everything below it; as people write them. */
function domainMatches(pattern: string, domain: string): boolean {
  const wanted = pattern.trim().toLowerCase();
  if (!wanted.includes('*')) return wanted === domain;
  const expression = wanted.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return RE2JS.compile(`^${expression.join('.*')}$`).matches(domain);
}

/** Whether the settings take an address for signing up. A pattern that cannot be read takes none. */
export function addressAllowed(address: string, settings: ApplicationSettings): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  const among = (patterns: readonly string[]) => patterns.some((pattern) => domainMatches(pattern, domain));
  if (settings.domain_allowlist.length > 0 && !among(settings.domain_allowlist)) return false;
  if (settings.domain_denylist_enabled && among(settings.domain_denylist)) return false;
  if (settings.enforce_email_subaddress_restrictions && address.slice(0, address.lastIndexOf('@')).includes('+'))
    return false;
  const restriction = settings.email_restrictions_enabled ? (settings.email_restrictions ?? '') : '';
  if (restriction === '') return true;
  try {
    return !RE2JS.compile(restriction, RE2JS.CASE_INSENSITIVE).matcher(address).find();
  } catch {
    return false;
  }
}

const refusedAddress =
  'is not allowed for sign-up. Please use your regular email address. Check with your administrator.';

export interface Registration {
  /** Throws the API's 400, 403, 409 and 422. */
  signUp(request: SignUp): Promise<User>;
}

export function createRegistration(deps: RegistrationDependencies): Registration {
  const { db, settings, users, mail, externalUrl } = deps;

  async function tellAdministrators(user: User): Promise<void> {
    if (!mail.configured) return;
    await transaction(db, async (tx) => {
      for (const administrator of await activeAdministrators(tx))
        await mail.send(tx, letters.approvalWanted(administrator, user, externalUrl));
    });
  }

  return {
    signUp: async ({ username, name, email, password, termsAccepted, address }) => {
      const values = await settings.read();
      if (!values.signup_enabled || !values.password_authentication_enabled_for_web)
        throw plainError(403, 'Signing up is switched off.');
      const confirmed = values.email_confirmation_setting === 'off';
      if (!confirmed && !mail.configured)
        throw plainError(
          422,
          'Addresses must be confirmed, and no mail server is configured. Ask an administrator for an account.',
        );
      if (!addressAllowed(email.trim(), values)) throw invalidRecord({ email: [refusedAddress] });
      if (values.enforce_terms && !termsAccepted) throw invalidRecord({ terms: ['must be accepted'] });
      const cap = values.new_user_signups_cap;
      const full = cap !== null && (await countPeople(db, cap)) >= cap;
      const waits = values.require_admin_approval_after_user_signup || full;
      const user = await users.create({
        username,
        name,
        email,
        password,
        confirmed,
        state: waits ? 'blocked_pending_approval' : 'active',
        acceptedTerms: termsAccepted,
        origin: strangerAt(address),
      });
      if (waits) await tellAdministrators(user);
      return user;
    },
  };
}
