/** Objects that were written in this process into a quarantine: readable at once, on disk when settled. */
import { storageError } from '../errors.ts';
import type { RawObject } from '../process/cat-file.ts';
import type { Sha } from '../types.ts';

export interface Overlay {
  /** A small object that was written here; undefined for others, which the helper processes know. */
  get(id: Sha): RawObject | undefined;
  /** Whether anything was ever put into the quarantine, by us or by git. */
  used(): boolean;
  /** git itself wrote, or is about to. */
  touch(): void;
  /** Everything that is in the quarantine, by kind; null where git wrote too, and a directory has to be looked into. */
  contents(): ReadonlyMap<Sha, RawObject['type']> | null;
  /** Remembers an object and the write that is under way; false when it was written before. */
  add(id: Sha, object: RawObject, write: () => Promise<void>): void;
  forget(id: Sha): void;
  /** Resolves when all writes are on disk; throws the first failure. */
  settle(): Promise<void>;
}

const KEEP_OBJECT_BYTES = 64 * 1024;
const KEEP_BYTES = 8 * 1024 * 1024;

export function createOverlay(): Overlay {
  const objects = new Map<Sha, RawObject>();
  const written = new Map<Sha, RawObject['type']>();
  let pending: Promise<unknown>[] = [];
  let bytes = 0;
  let used = false;
  let touched = false;
  let failure: { error: unknown } | undefined;

  return {
    get: (id) => objects.get(id),
    used: () => used,
    touch() {
      used = true;
      touched = true;
    },
    contents: () => (touched ? null : written),
    add(id, object, write) {
      used = true;
      if (written.has(id)) return;
      written.set(id, object.type);
      if (object.size <= KEEP_OBJECT_BYTES && bytes + object.size <= KEEP_BYTES) {
        objects.set(id, object);
        bytes += object.size;
      }
      pending.push(
        write().catch((error: unknown) => {
          failure ??= { error: storageError(error) ?? error };
        }),
      );
    },
    forget(id) {
      objects.delete(id);
      written.delete(id);
    },
    async settle() {
      while (pending.length > 0) {
        const waiting = pending;
        pending = [];
        await Promise.all(waiting);
      }
      if (failure) throw failure.error;
    },
  };
}
