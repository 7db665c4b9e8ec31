/** What one application setting is: a row of the table. The builders keep a row to one line. */

/** The parts of the product that own the effect of settings, and what each is. */
export const owners = {
  accounts: 'accounts, sign-in, sessions, tokens and keys',
  namespaces: 'groups, projects and members',
  repository: 'repositories, git access and diffs',
  ci: 'pipelines, jobs, artifacts and runners',
  review: 'merge requests and approvals',
  planning: 'issues and what is around them',
  limits: 'rate limits',
  api: 'API',
  outbound: 'outbound requests and webhooks',
  mail: 'mail and notifications',
  content: 'Markdown, diagrams, attachments, snippets and wiki',
  imports: 'import and export',
  packages: 'package and container registries',
  pages: 'static sites from pipelines',
  search: 'search',
  spam: 'protection against abuse and spam',
  scanning: 'security scans and policies',
  web: 'web interface',
  admin: 'instance administration',
  compatibility: 'kept for clients that set it: Millrace has no such part',
} as const satisfies Readonly<Record<string, string>>;

export type Owner = keyof typeof owners;

/** What a text, the texts of a list, or a map must be, besides its size. Names are of users, in lower case. */
export type Format =
  | 'url'
  | 'email'
  | 'regex'
  | 'duration'
  | 'age'
  | 'addresses'
  | 'prefix'
  | 'file'
  | 'branch'
  | 'names'
  | 'weights'
  | 'switches'
  | 'protection';

export type Kind =
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'text'
  | 'word'
  | 'level'
  | 'texts'
  | 'words'
  | 'integers'
  | 'map';

export interface Row<T> {
  readonly kind: Kind;
  /** The part that owns the effect, now or when it comes. */
  readonly owner: Owner;
  /** What holds until an administrator changes it. */
  readonly fallback: T;
  readonly nullable: boolean;
  /** In a few words. */
  readonly meaning: string;
  /** Where it has an effect already; a test compares this with what the product reads. */
  readonly acts?: string;
  readonly min?: number;
  readonly max?: number;
  readonly format?: Format;
  /** The allowed values of `word`, `words` and `level`. */
  readonly allowed?: readonly (string | number)[];
  /** Must not be empty once this is switched on or filled in. */
  readonly needs?: readonly string[];
  /** Sealed at rest, never in audit events. A shown one is answered as stored, a masked one as `*****`, a hidden one never. */
  readonly secret?: 'shown' | 'masked' | 'hidden';
  /** Not of the ecosystem: a limit of Millrace that an administrator sees and changes. */
  readonly own?: true;
  /** A number that is answered as text, `"1.0"`, because typed clients of the ecosystem decode it from one. */
  readonly asText?: true;
  /** What to use instead. */
  readonly deprecated?: string;
}

type More = Partial<Omit<Row<unknown>, 'kind' | 'owner' | 'fallback' | 'meaning' | 'allowed'>>;

/** `number`, or `number | null` where null is the default or named as the type. */
type OrNull<F, T> = [Extract<F, null>] extends [never] ? T : T | null;

const row =
  <T>(kind: Kind) =>
  <F extends T | null>(owner: Owner, fallback: F, meaning: string, more: More = {}): Row<OrNull<F, T>> => ({
    nullable: fallback === null,
    ...more,
    kind,
    owner,
    fallback: fallback as OrNull<F, T>,
    meaning,
  });

/** Yes or no. */
export const flag = row<boolean>('boolean');
/** An integer; at least 0 and of 32 bits unless the row says otherwise. */
export const whole = row<number>('integer');
export const decimal = row<number>('decimal');
/** At most 255 characters unless the row says otherwise. An empty text is null where null is allowed. */
export const text = row<string>('text');
/** A list of texts; also taken as one text with commas, blanks or line ends between them. */
export const texts = row<readonly string[]>('texts');
export const integers = row<readonly number[]>('integers');
/** Free keys with values of one's own. */
export const map = row<Readonly<Record<string, unknown>>>('map');

/** One of a set of words. */
export const word = <const W extends readonly string[], F extends W[number] | null>(
  owner: Owner,
  allowed: W,
  fallback: F,
  meaning: string,
  more: More = {},
): Row<OrNull<F, W[number]>> => ({
  nullable: fallback === null,
  ...more,
  kind: 'word',
  owner,
  fallback: fallback as OrNull<F, W[number]>,
  meaning,
  allowed,
});

/** Any of a set of words. */
export const words = <const W extends readonly string[]>(
  owner: Owner,
  allowed: W,
  fallback: readonly W[number][],
  meaning: string,
  more: More = {},
): Row<readonly W[number][]> => ({ nullable: false, ...more, kind: 'words', owner, fallback, meaning, allowed });

/** One of a set of numbers. */
export const level = (
  owner: Owner,
  allowed: readonly number[],
  fallback: number,
  meaning: string,
  more: More = {},
): Row<number> => ({ nullable: false, ...more, kind: 'level', owner, fallback, meaning, allowed });
