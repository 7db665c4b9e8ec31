/** What the configuration is, and how one key of it is declared. */
import type { GitBudgets } from '@millrace/git';

export type PullPolicy = 'always' | 'if-not-present' | 'never';

export interface Config {
  readonly data: string;
  readonly host: string;
  readonly port: number;
  /** Null when SSH is off. */
  readonly sshPort: number | null;
  readonly sshHost: string;
  /** Without a trailing slash; null until the port is known. */
  readonly url: string | null;
  readonly rootPassword: string | null;
  readonly rootToken: string | null;
  readonly runner: 'auto' | 'off' | 'shell' | 'bubblewrap' | 'container';
  readonly runnerSlots: number;
  readonly runnerEngine: string | null;
  readonly runnerImage: string | null;
  readonly runnerPullPolicies: readonly PullPolicy[];
  readonly runnerVolumes: readonly string[];
  readonly runnerNetwork: 'auto' | 'job' | 'host';
  /** What one job may use; 0 for no limit. */
  readonly runnerMemory: number;
  readonly runnerCpus: number;
  readonly runnerProcesses: number;
  readonly runnerDisk: number;
  readonly runnerOutput: number;
  readonly databaseUrl: string | null;
  readonly objects: string;
  /** Keys of an S3 storage; without them the role of the machine counts. */
  readonly awsAccessKeyId: string | null;
  readonly awsSecretAccessKey: string | null;
  readonly awsSessionToken: string | null;
  readonly awsRegion: string | null;
  readonly repositories: Readonly<Record<string, string>>;
  readonly secrets: string;
  /** Where backups are stored. */
  readonly backups: string;
  /** What backups are encrypted with; null where they are not. */
  readonly backupPassphrase: string | null;
  readonly gitBudgets: GitBudgets;
  readonly trustedProxies: readonly string[];
  readonly sshUrl: string | null;
  readonly smtpUrl: string | null;
  readonly mailFrom: string | null;
  readonly mailReplyTo: string | null;
  /** A private SSH key that commits of the product are signed with; null where they are not. */
  readonly commitSigningKey: string | null;
  /** Public keys that they were signed with before. */
  readonly commitSigningOldKeys: string | null;
  readonly committerName: string | null;
  readonly committerEmail: string | null;
  readonly workers: number;
  readonly logLevel: string;
  readonly metricsToken: string | null;
  /** Whether administrators may make and use impersonation tokens. */
  readonly impersonationEnabled: boolean;
  readonly maxParameterBytes: number;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  readonly maxParameters: number;
  readonly maxParameterDepth: number;
  readonly maxUnpackRatio: number;
  readonly maxHeldBytes: number;
  readonly maxAnonymousHeldBytes: number;
  readonly maxNegotiationBytes: number;
  readonly sshConnections: number;
  readonly sshLogins: number;
  readonly sshLoginSeconds: number;
  readonly sshLoginTries: number;
  readonly sshAddressRate: number;
  readonly sshStallSeconds: number;
  readonly gitHttpStallSeconds: number;
  readonly lfsBatchObjects: number;
  readonly lfsStallSeconds: number;
  readonly fetchCacheBytes: number;
  readonly maxImageBytes: number;
  readonly imageCacheBytes: number;
  readonly maxCacheBytes: number;
  readonly maxProjectCacheBytes: number;
}

export interface Key<K extends keyof Config> {
  readonly name: K;
  readonly env: string;
  /** What `millrace config` and the documentation say. */
  readonly description: string;
  /** The default in words, for the documentation. */
  readonly fallbackText: string;
  readonly secret?: true;
  /** How `millrace config` writes the value, where its own text is not it. */
  readonly shown?: (value: Config[K]) => string;
  fallback(soFar: Partial<Config>, env: Readonly<Record<string, string | undefined>>): Config[K];
  /** Throws with what is accepted. */
  parse(text: string): Config[K];
}

export const key = <K extends keyof Config>(definition: Key<K>): Key<keyof Config> =>
  definition as unknown as Key<keyof Config>;
