/** Notes when tokens and sessions were last used: collected in memory and written aside of the requests. */

const repeatMilliseconds = 60_000;

type UsedKind = 'token' | 'oauth' | 'session' | 'ssh_key';

export interface UsageRecorder {
  /** Something was used now; of OAuth tokens only their user's activity is kept. Nobody is behind a deploy key. */
  used(kind: UsedKind, id: number, userId: number | null): void;
  /** Writes what is pending and stops. */
  close(): Promise<void>;
}

export interface UsageWriter {
  write(used: { tokens: number[]; sessions: number[]; sshKeys: number[]; users: number[] }): Promise<void>;
  failed(error: unknown): void;
}

/** Each id is written at most once a minute, all that come within `delayMilliseconds` of each other in one go. */
export function createUsageRecorder(writer: UsageWriter, delayMilliseconds = 500): UsageRecorder {
  let written = new Map<string, number>();
  let pending = new Map<string, { kind: UsedKind; id: number; userId: number | null }>();
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let writing: Promise<void> = Promise.resolve();

  const flush = async () => {
    timer = undefined;
    if (pending.size === 0) return;
    const batch = [...pending.values()];
    const at = performance.now();
    written = new Map([...written].filter(([, before]) => at - before < repeatMilliseconds));
    for (const key of pending.keys()) written.set(key, at);
    pending = new Map();
    const ids = (kind: UsedKind) => batch.filter((entry) => entry.kind === kind).map((entry) => entry.id);
    try {
      const users = [...new Set(batch.flatMap((entry) => entry.userId ?? []))];
      await writer.write({ tokens: ids('token'), sessions: ids('session'), sshKeys: ids('ssh_key'), users });
    } catch (error) {
      writer.failed(error);
    }
  };

  return {
    used: (kind, id, userId) => {
      const key = `${kind}:${id}`;
      if (closed || pending.has(key)) return;
      const before = written.get(key);
      if (before !== undefined && performance.now() - before < repeatMilliseconds) return;
      pending.set(key, { kind, id, userId });
      timer ??= setTimeout(() => {
        writing = flush();
      }, delayMilliseconds).unref();
    },
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await writing;
      await flush();
    },
  };
}
