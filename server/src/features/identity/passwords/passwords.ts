/** Password hashes: argon2id in the thread pool, a few at a time, the same work whether the user exists or not. */
import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { HttpError, unavailable } from '../../../kernel/http/errors.ts';
import { createTurns } from '../../../kernel/process/turns.ts';

// 16 MiB and 8 passes take 25 ms on the machines this was measured on; two at a time hold at most 32 MiB and leave the
// other threads of the pool to files and DNS.
const full = { algorithm: 2 as Algorithm, memoryCost: 16_384, timeCost: 8, parallelism: 1 } as const;
/** The least that there is: tests sign in hundreds of times, and what they prove is not the work. */
const least = { ...full, memoryCost: 8, timeCost: 1 } as const;
const concurrency = 2;
/** More callers than this waiting means a flood; they are refused instead of queued. */
const longestQueue = 200;
/** argon2 reads all of it, so that an endless password would be endless work. */
export const longestPassword = 128;

export interface Passwords {
  /** A PHC string for `users.password_hash`. */
  hash(password: string): Promise<string>;
  /** Whether the password belongs to the hash; null (no such user, no password) costs the same and is false. */
  verify(passwordHash: string | null, password: string): Promise<boolean>;
}

/** Thrown when too many checks wait already; wherever a password is checked or set, the answer is 503. */
class TooManyPasswordChecks extends HttpError {
  constructor() {
    const { status, body, headers } = unavailable('too many password checks at once');
    super(status, body, headers);
  }
}

/** One per process: its limit is the process's. */
export function createPasswords({ longest = longestQueue, quick = false } = {}): Passwords {
  const turns = createTurns({ atOnce: concurrency, longest, refusal: () => new TooManyPasswordChecks() });
  const limited = turns.run;
  const cost = quick ? least : full;
  let decoy: Promise<string> | undefined;
  return {
    hash: (password) => limited(() => hash(password, cost)),
    verify: async (passwordHash, password) => {
      const usable = password.length <= longestPassword;
      if (passwordHash === null || !usable) {
        decoy ??= limited(() => hash('nobody has this password', cost));
        const against = await decoy;
        await limited(() => verify(against, password.slice(0, longestPassword)));
        return false;
      }
      return await limited(() => verify(passwordHash, password));
    },
  };
}
