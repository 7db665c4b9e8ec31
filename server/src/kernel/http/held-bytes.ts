/**
 * Bytes of request bodies that this process holds in memory, over all requests: each body is bounded by itself, and many
 * at once would still be too many. Anonymous callers have a share of their own, which leaves the rest to people.
 */
import { unavailable } from './errors.ts';

export interface HeldBytesLimits {
  readonly maxHeldBytes: number;
  readonly maxAnonymousHeldBytes: number;
}

/** What one request holds. */
export interface Holding {
  /** Counts bytes that are about to be kept; throws 503 where there is no room for them. */
  take(bytes: number): void;
  /** Gives back everything; safe to call again. */
  release(): void;
}

export interface HeldBytes {
  hold(who: 'anonymous' | 'identified'): Holding;
}

export function createHeldBytes(limits: HeldBytesLimits): HeldBytes {
  const held = { anonymous: 0, identified: 0 };
  return {
    hold(who) {
      let own = 0;
      return {
        take(bytes) {
          if (held.anonymous + held.identified + bytes > limits.maxHeldBytes)
            throw unavailable(
              `all request bodies together have more than ${limits.maxHeldBytes} bytes (max_held_bytes)`,
            );
          if (who === 'anonymous' && held.anonymous + bytes > limits.maxAnonymousHeldBytes)
            throw unavailable(
              `request bodies of anonymous callers have more than ${limits.maxAnonymousHeldBytes} bytes (max_anonymous_held_bytes)`,
            );
          held[who] += bytes;
          own += bytes;
        },
        release() {
          held[who] -= own;
          own = 0;
        },
      };
    },
  };
}
