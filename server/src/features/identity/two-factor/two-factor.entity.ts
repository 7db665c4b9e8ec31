/** What the API shows of second factors. */
import type { Static } from 'typebox';
import { AnyJson, Count, Entity, Flag, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import type { SecurityKey, TwoFactorState } from './two-factor.service.ts';

export const SecurityKeyView = Entity('SecurityKey', {
  id: Id(),
  name: Text(),
  created_at: Timestamp(),
  last_used_at: Nullable(Timestamp()),
});
export const TwoFactorView = Entity('TwoFactor', {
  enabled: Flag(),
  totp: Flag({ description: 'Codes of an authenticator application' }),
  security_keys: ListOf(SecurityKeyView),
  recovery_codes_left: Count(),
  required_until: Nullable(Timestamp({ description: 'When a second factor has to be set up at the latest' })),
});
export const TotpSecret = Entity('TotpSecret', {
  secret: Text({ description: 'Base 32; to type into an authenticator application' }),
  uri: Text({ description: 'The same for a picture that the application reads' }),
});
export const RecoveryCodes = Entity('RecoveryCodes', {
  recovery_codes: ListOf(Text(), { description: 'Each works once; they are shown this time only' }),
});
export const SecurityKeyChallenge = Entity('SecurityKeyChallenge', {
  challenge: Text({ description: 'To send back with the browser’s answer' }),
  options: AnyJson({ description: 'For `navigator.credentials.create` (PublicKeyCredentialCreationOptionsJSON)' }),
});
export const NewSecurityKey = Entity('NewSecurityKey', {
  ...SecurityKeyView.properties,
  recovery_codes: ListOf(Text(), { description: 'When this is the first second factor' }),
});

export const securityKeyView = (key: SecurityKey): Static<typeof SecurityKeyView> => ({
  id: key.id,
  name: key.name,
  created_at: key.created_at,
  last_used_at: key.last_used_at,
});
export const twoFactorView = (state: TwoFactorState): Static<typeof TwoFactorView> => ({
  enabled: state.enabled,
  totp: state.totp,
  security_keys: state.keys.map(securityKeyView),
  recovery_codes_left: state.recoveryCodes,
  required_until: state.requiredUntil,
});
