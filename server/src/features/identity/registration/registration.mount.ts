/** What the pages before the sign-in call: signing up, confirming addresses, new passwords. */
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type Appearance, picturePath } from '../../../kernel/appearance/index.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { invalidRecord, plainError } from '../../../kernel/http/errors.ts';
import { Bool, Optional, Str } from '../../../kernel/http/params/schema.ts';
import type { Mail } from '../../../kernel/mail/index.ts';
import type { Markdown } from '../../../kernel/markdown/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Confirmations } from '../confirmations/index.ts';
import { mountEndpoint } from './endpoint.ts';
import { findUnconfirmed } from './registration.queries.ts';
import type { Registration } from './registration.service.ts';
import type { PasswordReset } from './reset.service.ts';

export interface RegistrationMountDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly mail: Pick<Mail, 'configured'>;
  readonly confirmations: Confirmations;
  readonly registration: Registration;
  readonly reset: PasswordReset;
  /** Counts an attempt to sign in to an account; why it is refused, null when it is not. */
  readonly signInRefusal: (login: string) => Promise<Error | null>;
  /** Counts a mail to an address that a stranger asks for; why it is refused, null when it is not. */
  readonly mailRefusal: (email: string) => Promise<Error | null>;
  readonly externalUrl: string;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly appearance: Pick<Appearance, 'read' | 'html'>;
}

const text = (maxLength = 500) => Str({ maxLength });
const onItsWay = { message: 'If the address belongs to an account, a message with a link is on its way.' };
/** An address gets no second message sooner than this. */
const quietMilliseconds = 60_000;

export function mountRegistration(server: FastifyInstance, deps: RegistrationMountDependencies): void {
  const { db, settings, mail, confirmations, registration, reset, externalUrl } = deps;

  /** The same for every address, so that a refusal tells nothing about accounts. */
  async function countMail(email: string): Promise<void> {
    const refusal = await deps.mailRefusal(email);
    if (refusal) throw refusal;
  }

  const html = async (text: string | null) =>
    text === null ? '' : await deps.markdown.html(text, { caller: anonymous, base: null });

  server.get('/-/registration', async (_request, reply) => {
    const values = await settings.read();
    const texts = await deps.appearance.read();
    return reply
      .header('Content-Type', 'application/json')
      .header('Cache-Control', 'no-store')
      .send(
        JSON.stringify({
          signup_enabled: values.signup_enabled && values.password_authentication_enabled_for_web,
          password_reset_enabled: mail.configured && values.password_authentication_enabled_for_web,
          require_admin_approval_after_user_signup: values.require_admin_approval_after_user_signup,
          email_confirmation_setting: values.email_confirmation_setting,
          minimum_password_length: values.minimum_password_length,
          password_number_required: values.password_number_required,
          password_symbol_required: values.password_symbol_required,
          password_uppercase_required: values.password_uppercase_required,
          password_lowercase_required: values.password_lowercase_required,
          terms_html: values.enforce_terms ? await html(values.terms) : null,
          after_sign_up_html: await html(values.after_sign_up_text),
          sign_in_html: await html(values.sign_in_text),
          instance: {
            title: texts.title,
            description_html: await deps.appearance.html(texts.description),
            logo: picturePath('logo', texts.logo),
          },
        }),
      );
  });

  mountEndpoint(server, externalUrl, {
    method: 'POST',
    path: '/-/registration',
    status: 201,
    params: Type.Object({
      username: text(),
      name: text(),
      email: text(),
      password: text(),
      terms_accepted: Optional(Bool({ default: false })),
    }),
    handler: async (params, request) => {
      const { username, name, email, password, terms_accepted } = params;
      const termsAccepted = terms_accepted ?? false;
      await countMail(email);
      const user = await registration.signUp({ username, name, email, password, termsAccepted, address: request.ip });
      return { username: user.username, state: user.state, confirmed: user.confirmed_at !== null };
    },
  });

  mountEndpoint(server, externalUrl, {
    method: 'POST',
    path: '/-/confirmation',
    status: 200,
    params: Type.Object({ confirmation_token: text() }),
    handler: async (params, request) => {
      const email = await confirmations.confirm(params.confirmation_token, request.ip);
      if (email === null) throw invalidRecord({ confirmation_token: ['is invalid'] });
      return { email };
    },
  });

  mountEndpoint(server, externalUrl, {
    method: 'POST',
    path: '/-/confirmation/message',
    status: 202,
    params: Type.Object({ email: text() }),
    handler: async ({ email }) => {
      if (!mail.configured) throw plainError(422, 'No mail server is configured. Ask an administrator.');
      await countMail(email);
      await transaction(db, async (tx) => {
        const user = await findUnconfirmed(tx, email.trim());
        const sent = user?.confirmation_sent_at?.getTime() ?? 0;
        if (user && sent < Date.now() - quietMilliseconds) await confirmations.askPrimary(tx, user, null);
      });
      return onItsWay;
    },
  });

  mountEndpoint(server, externalUrl, {
    method: 'POST',
    path: '/-/password-reset',
    status: 202,
    params: Type.Object({ email: text() }),
    handler: async ({ email }, request) => {
      await countMail(email);
      await reset.request(email, request.ip);
      return onItsWay;
    },
  });

  mountEndpoint(server, externalUrl, {
    method: 'PUT',
    path: '/-/password-reset',
    status: 200,
    params: Type.Object({ reset_password_token: text(), password: text() }),
    handler: async (params, request) => {
      await reset.complete(params.reset_password_token, params.password, request.ip);
      return { message: 'Your password was changed.' };
    },
  });

  mountEndpoint(server, externalUrl, {
    method: 'PUT',
    path: '/-/session/password',
    status: 200,
    params: Type.Object({ login: text(), password: text(), new_password: text() }),
    handler: async ({ login, password, new_password }, request) => {
      const refusal = await deps.signInRefusal(login);
      if (refusal) throw refusal;
      await reset.replace(login, password, new_password, request.ip);
      return { message: 'Your password was changed.' };
    },
  });
}
