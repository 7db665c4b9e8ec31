/** How large repositories and pushes may be; by settings of the instance, groups and projects that administrators change. */
import * as git from '@millrace/git';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { bringsObjects, type Push, type PushCheck, refuseAll } from '../writes/push-check.ts';
import type { ConditionsOfProject } from '../writes/push-conditions.queries.ts';
import type { PushConditions } from '../writes/push-conditions.ts';
import { sizeOf } from './limits.queries.ts';
import { readableSize } from './sizes.ts';

const bytesPerMegabyte = 1024 ** 2;
/** Bytes that a repository and its large files may have, and have. */
export interface SizeUse {
  readonly limit: number;
  readonly used: number;
}

/** What one push may bring. */
export interface PushLimit {
  readonly bytes: number;
  /** What the person is told who brings more. */
  readonly reason: string;
}

/** How many of something one push may have. */
export interface CountLimit {
  readonly most: number;
  readonly reason: string;
}

export interface CountLimits {
  readonly refs: CountLimit;
  readonly options: CountLimit;
  readonly optionBytes: CountLimit;
}

const beginnings: Readonly<Record<Push['kind'] | 'upload', string>> = {
  push: 'Your push has been rejected',
  api: 'Your changes could not be committed',
  merge: 'This merge request cannot be merged',
  upload: 'Your upload has been rejected',
};

/** Why what is brought does not fit any more. `added` is how many bytes more there would be, at least or exactly. */
function fullReason(kind: keyof typeof beginnings, { limit, used }: SizeUse, added: number, exactly = true): string {
  const over = `${exactly ? '' : 'more than '}${readableSize(used + added - limit)}`;
  return (
    `${beginnings[kind]}, because this repository would exceed its size limit of ${readableSize(limit)} by ${over}: ` +
    `it has ${readableSize(used)} now (repository_size_limit). Please contact an administrator for more information.`
  );
}

/** What one push may bring to any repository, wikis too; null for any size. */
export async function pushLimit(settings: Pick<Settings, 'read'>): Promise<PushLimit | null> {
  const megabytes = (await settings.read()).receive_max_input_size;
  if (megabytes === null) return null;
  const bytes = megabytes * bytesPerMegabyte;
  return {
    bytes,
    reason: `the push is larger than ${readableSize(bytes)} (receive_max_input_size)`,
  };
}

/** How much one push may move and ask for; wikis too. */
export async function pushCounts(settings: Pick<Settings, 'read'>): Promise<CountLimits> {
  const { push_refs_limit, push_options_limit, push_option_bytes_limit } = await settings.read();
  return {
    refs: {
      most: push_refs_limit,
      reason: `a push moves at most ${push_refs_limit} refs (push_refs_limit)`,
    },
    options: {
      most: push_options_limit,
      reason: `a push has at most ${push_options_limit} options (push_options_limit)`,
    },
    optionBytes: {
      most: push_option_bytes_limit,
      reason: `a push option has at most ${push_option_bytes_limit} bytes (push_option_bytes_limit)`,
    },
  };
}

export function sizeLimits(db: Db, settings: Pick<Settings, 'read'>, conditions: PushConditions) {
  /** Null where a project may have any size. */
  const remaining = async ({ project }: ProjectSubject) => useOf(await sizeOf(db, project.id));

  async function useOf({ used, limit: own }: ConditionsOfProject['size']): Promise<SizeUse | null> {
    const limit = own ?? (await settings.read()).repository_size_limit * bytesPerMegabyte;
    return limit === 0 ? null : { limit, used };
  }

  /** What does not fit is refused; what only takes away is not. */
  const check: PushCheck = async (push) => {
    if (!bringsObjects(push)) return new Map();
    const use = await useOf((await conditions(push)).size);
    if (use === null) return new Map();
    const added = await git.quarantineBytes(push.quarantine);
    if (added === 0 || use.used + added <= use.limit) return new Map();
    const adding = push.changes.filter(({ after }) => after !== git.ZERO_SHA);
    return refuseAll({ ...push, changes: adding }, { reason: fullReason(push.kind, use, added), kind: 'content' });
  };

  /** The bytes of a pack that are worth taking in: what is too much by itself is not stored first. */
  async function ofPush(subject: ProjectSubject): Promise<PushLimit | null> {
    const [size, use] = [await pushLimit(settings), await remaining(subject)];
    if (use === null) return size;
    const room = Math.max(0, use.limit - use.used);
    const bytes = room + storedAnyway;
    if (size !== null && size.bytes <= bytes) return size;
    return { bytes, reason: fullReason('push', use, bytes, false) };
  }

  return { remaining, check, ofPush, fullReason };
}
export type SizeLimits = ReturnType<typeof sizeLimits>;

/** Bytes: what is little is judged when it is here, ref by ref. */
const storedAnyway = bytesPerMegabyte;
