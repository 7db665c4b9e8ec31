/** What the namespaces slice needs of others; app.ts wires it. */
import type { Db } from '../../kernel/db/index.ts';
import type { CredentialResolver } from '../../kernel/http/credentials.ts';
import type { ObjectStore } from '../../kernel/objects/index.ts';
import type { Outbound } from '../../kernel/outbound/index.ts';
import type { Settings } from '../../kernel/settings/index.ts';
import type { Logger } from '../../kernel/telemetry/index.ts';
import type { Avatars, ServiceAccounts, Tokens } from '../identity/index.ts';
import type {
  ExternalPlaces,
  MembersUnassigned,
  PlaceMoved,
  ProjectRepositories,
  ProjectStarts,
  RunnersTokens,
} from './ports.ts';

export interface NamespacesDependencies {
  readonly db: Db;
  readonly log: Logger;
  readonly settings: Settings;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  readonly outbound: Pick<Outbound, 'send'>;
  /** What comes before a project's full path in its SSH address: `git@host:` or `ssh://git@host:port/`; null while it is not offered. */
  readonly sshPrefix: () => string | null;
  /** The same for HTTP. */
  readonly httpPrefix: () => string;
  /** Whether this process serves git over SSH now. */
  readonly sshServed: () => boolean;
  /** Names of the repository storages that this instance has. */
  readonly repositoryStorages: readonly string[];
  /** The product's version. */
  readonly release: string;
  readonly repository: ProjectRepositories;
  readonly starts: ProjectStarts;
  readonly runnersTokens: RunnersTokens;
  readonly externalPlaces: ExternalPlaces;
  readonly assigned: readonly MembersUnassigned[];
  readonly moved: readonly PlaceMoved[];
  readonly avatars: Avatars;
  readonly objects: ObjectStore;
  /** Bans an account in the name of the instance. */
  readonly ban: (userId: number) => Promise<unknown>;
  /** For what is served outside the API. */
  readonly resolver: CredentialResolver;
  readonly serviceAccounts: ServiceAccounts;
  readonly tokens: Pick<Tokens, 'find' | 'issue' | 'rotate' | 'revoke' | 'expiry' | 'createBot'>;
}
