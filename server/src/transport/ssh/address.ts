/** How clients reach SSH from outside: what clone addresses start with. */
import type { Config } from '../../kernel/config/config.ts';

export interface SshAddress {
  /** The only username there is: who somebody is tells their key. */
  readonly user: string;
  readonly host: string;
  readonly port: number;
  /** What comes before `group/project.git`; null where SSH is off, so that nobody is offered it. */
  readonly prefix: string | null;
}

const standardPort = 22;

export function sshAddress(config: Pick<Config, 'sshUrl' | 'sshPort'>, externalUrl: string): SshAddress {
  const given = URL.parse(config.sshUrl ?? '');
  if (given) {
    const user = decodeURIComponent(given.username);
    return { user, host: given.hostname, port: Number(given.port || standardPort), prefix: `${config.sshUrl}/` };
  }
  // What is only described has no address.
  const host = URL.parse(externalUrl)?.hostname ?? 'localhost';
  const port = config.sshPort ?? standardPort;
  const prefix = port === standardPort ? `git@${host}:` : `ssh://git@${host}:${port}/`;
  return { user: 'git', host, port, prefix: config.sshPort === null ? null : prefix };
}
