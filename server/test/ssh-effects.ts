/** What the settings of git over SSH do: looked at before and after each is changed. */
import type { AccountEffect } from './account-effects.ts';
import type { World } from './ci.ts';
import { addKey, connect, giveSecondFactor, type SshKeyPair } from './ssh.ts';

/** `world` is asked when a case runs. */
export function sshEffects(world: () => World): Readonly<Record<string, AccountEffect>> {
  let listening: Promise<number> | undefined;
  async function run(key: SshKeyPair, command: string, input: string) {
    listening ??= world().app.ssh.listen({ host: '127.0.0.1', port: 0 });
    const connection = await connect(await listening, key);
    try {
      return await connection.run(command, input);
    } finally {
      connection.end();
    }
  }
  /** Minutes that a second factor is good for. */
  const verified = async () => {
    const { app, account } = world();
    const { user, token } = await account();
    const key = await addKey(app, token);
    const [code = ''] = await giveSecondFactor(app, user);
    await run(key, '2fa_verify', `${code}\n`);
    const row = await app.db
      .selectFrom('ssh_keys')
      .select('verified_until')
      .where('id', '=', key.id)
      .executeTakeFirst();
    return Math.round(((row?.verified_until?.getTime() ?? 0) - Date.now()) / 60_000);
  };
  return {
    git_two_factor_session_expiry: { value: 60, look: verified, before: 15, after: 60 },
  };
}
