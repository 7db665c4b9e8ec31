/** A cache bounded by an estimate of bytes, least recently used out first. For values that never change under their key. */

export interface Lru<V> {
  get(key: string): V | undefined;
  set(key: string, value: V, bytes: number): void;
  delete(key: string): void;
  clear(): void;
  /** Estimated bytes held now. */
  bytes(): number;
}

/** What is being loaded costs this much until its size is known. */
const LOADING_BYTES = 1000;

/**
 * Keeps an entry while it is loaded, so that whoever comes meanwhile waits for the same: charged with its real size when
 * it is there, gone when it failed, unless a newer one took its place.
 */
export function keepLoading<V>(
  cache: Lru<unknown>,
  key: string,
  entry: { readonly loading: Promise<V> },
  bytesOf: (value: V) => number,
): void {
  const settled = (then: () => void) => {
    if (cache.get(key) === entry) then();
  };
  cache.set(key, entry, LOADING_BYTES);
  entry.loading.then(
    (value) => settled(() => cache.set(key, entry, bytesOf(value))),
    () => settled(() => cache.delete(key)),
  );
}

/** Fixed cost that a Map entry and its key are charged with, besides the value. */
const ENTRY_OVERHEAD = 160;

/** `largest` is the share of the bytes that one value may take: by default it must not push out everything else. */
export function createLru<V>(maxBytes: number, largest = 0.25): Lru<V> {
  const entries = new Map<string, { value: V; bytes: number }>();
  let total = 0;

  function remove(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    total -= entry.bytes;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, bytes) {
      remove(key);
      const size = bytes + ENTRY_OVERHEAD;
      if (size > maxBytes * largest) return;
      entries.set(key, { value, bytes: size });
      total += size;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) break;
        remove(oldest);
      }
    },
    delete: remove,
    clear() {
      entries.clear();
      total = 0;
    },
    bytes: () => total,
  };
}
