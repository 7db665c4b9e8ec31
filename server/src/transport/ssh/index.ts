/** git over SSH, from its configuration to a server that listens. */
import type { Config } from '../../kernel/config/config.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Secrets } from '../../kernel/secrets/index.ts';
import { type HostKeys, loadHostKeys } from './host-keys.ts';
import { type SshServer, type SshServerDependencies, sshServer } from './server.ts';
import { type SessionDependencies, sshSession } from './session.ts';

export { type SshAddress, sshAddress } from './address.ts';
export type { SshServer } from './server.ts';

export interface SshDependencies extends SessionDependencies {
  readonly config: Config;
  readonly db: Db;
  readonly secrets: Secrets;
  readonly log: SessionDependencies['log'] & SshServerDependencies['log'];
}

export interface Ssh extends SshServer {
  readonly hostKeys: () => Promise<HostKeys>;
}

export function gitSsh(deps: SshDependencies): Ssh {
  let keys: Promise<HostKeys> | undefined;
  const hostKeys = () => {
    keys ??= loadHostKeys(deps.db, deps.secrets).catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return keys;
  };
  const server = sshServer({
    config: deps.config,
    user: deps.address.user,
    hostKeys,
    find: deps.signIn.find,
    session: sshSession(deps),
    log: deps.log,
  });
  return { ...server, hostKeys };
}
