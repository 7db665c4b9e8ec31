/** Numbers that look random and are the same every time: what long proofs and measurements are made with. */

/** A generator of numbers below `limit` that repeats itself from the same seed (xorshift). */
export function numbers(seed: number): (limit: number) => number {
  let state = seed >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
}
