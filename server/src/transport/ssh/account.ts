/** Commands about one's own account: recovery codes, proving a second factor, a new access token, LFS's credential. */
import type { Readable } from 'node:stream';
import type { SshCaller, SshSignIn } from '../../features/identity/index.ts';
import type { AuditOrigin } from '../../kernel/audit/index.ts';
import { originOf } from '../../kernel/audit/index.ts';
import type { User } from '../../kernel/db/rows.ts';
import type { SshCommand } from './command.ts';

export interface AccountDependencies {
  readonly signIn: Pick<SshSignIn, 'verify'>;
  readonly newRecoveryCodes: (user: User, origin: AuditOrigin) => Promise<readonly string[] | null>;
  readonly issueToken: (token: {
    readonly user: User;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly expiresAt: string | null;
    readonly createdById: number;
    readonly origin: AuditOrigin;
  }) => Promise<{
    readonly secret: string;
    readonly row: { readonly expires_at: string | null; readonly scopes: readonly string[] };
  }>;
  /** The expiry of a token within the instance's limit. */
  readonly tokenExpiry: (wanted: string | null | undefined) => Promise<string | null>;
}

interface Terminal {
  readonly input: Readable;
  print(text: string): Promise<void>;
}

export type AccountCommand = Extract<SshCommand, { kind: 'recovery-codes' | 'verify' | 'token' }>;

const longestAnswer = 200;
const usualDays = 30;
const dayMilliseconds = 86_400_000;

/** One line of what the person types. */
async function answer(input: Readable): Promise<string> {
  let text = '';
  for await (const chunk of input.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (/[\r\n]/.test(text) || text.length > longestAnswer) break;
  }
  return (text.split(/[\r\n]/, 1)[0] ?? '').trim();
}

/** Runs one; the exit code. Throws HttpErrors. */
export async function runAccountCommand(
  deps: AccountDependencies,
  command: AccountCommand,
  who: SshCaller & { readonly person: User },
  keyId: number,
  { input, print }: Terminal,
): Promise<number> {
  const address = who.caller.address ?? '';
  const origin = originOf({ caller: who.caller, clientAddress: address });
  switch (command.kind) {
    case 'recovery-codes': {
      await print('New recovery codes replace all that you have. Make them? (yes/no)\n');
      if ((await answer(input)) !== 'yes') {
        await print('\nNothing was changed: your recovery codes are what they were.\n');
        return 0;
      }
      const codes = await deps.newRecoveryCodes(who.person, origin);
      if (!codes) {
        await print('\nYou have no second factor: there is nothing to recover.\n');
        return 1;
      }
      await print(
        `\nYour recovery codes, each good for one sign-in in place of your second factor:\n\n${codes.join('\n')}\n\nKeep them in a safe place.\n`,
      );
      return 0;
    }
    case 'verify': {
      if (!who.person.two_factor_enabled) {
        await print('You have no second factor: nothing asks for one.\n');
        return 1;
      }
      await print('Code: ');
      const right = await deps.signIn.verify(keyId, who.person, await answer(input), address);
      await print(right ? '\nRight: git is open to you now.\n' : '\nThis code is wrong or was used already.\n');
      return right ? 0 : 1;
    }
    case 'token': {
      const until = new Date(Date.now() + (command.days ?? usualDays) * dayMilliseconds).toISOString().slice(0, 10);
      const { secret, row } = await deps.issueToken({
        user: who.person,
        name: command.name,
        scopes: command.scopes,
        expiresAt: await deps.tokenExpiry(until),
        createdById: who.person.id,
        origin,
      });
      await print(`Token:   ${secret}\nScopes:  ${row.scopes.join(',')}\nExpires: ${row.expires_at ?? 'never'}\n`);
      return 0;
    }
  }
}
