/** Live updates: one event stream for the topics that the open page asks about, and whether it is connected. */

type Callback = (topic: string | null) => void;
type ConnectionState = 'live' | 'lost' | 'back';

const subscribers = new Map<string, Set<Callback>>();
const watchers = new Set<() => void>();
let source: EventSource | null = null;
let opened = '';
let state: ConnectionState = 'live';
let pending = 0;
const retryMilliseconds = 3_000;

function setState(next: ConnectionState): void {
  if (state === next) return;
  state = next;
  for (const watcher of watchers) watcher();
  if (next === 'back') setTimeout(() => setState('live'), 2_500);
}

export const connectionState = (): ConnectionState => state;
export function subscribeConnection(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

function tell(topic: string | null): void {
  const heard =
    topic === null ? [...subscribers.values()].flatMap((each) => [...each]) : [...(subscribers.get(topic) ?? [])];
  for (const callback of new Set(heard)) callback(topic);
}

/** Opens the stream for exactly the topics that are wanted now; several changes in one turn open it once. */
function reopen(): void {
  pending = 0;
  // Browsers open few connections to a host: pages that nobody looks at must not hold one each.
  const topics = document.hidden ? '' : [...subscribers.keys()].sort().join(',');
  if (topics === opened) return;
  source?.close();
  source = null;
  opened = topics;
  if (topics === '') return;
  const next = new EventSource(`/api/v4/live?topics=${encodeURIComponent(topics)}`);
  source = next;
  next.onopen = () => {
    if (state === 'lost') setState('back');
    // What changed between the page's reading and now was announced to nobody here.
    tell(null);
  };
  next.onerror = () => {
    if (next !== source) return;
    setState('lost');
    if (next.readyState !== EventSource.CLOSED) return;
    // After an answer that is no stream the browser gives up; a server that starts again gives such answers.
    opened = '';
    if (pending === 0) pending = window.setTimeout(reopen, retryMilliseconds);
  };
  next.addEventListener('change', (event) =>
    tell((JSON.parse((event as MessageEvent<string>).data) as { topic: string }).topic),
  );
  next.addEventListener('resync', () => tell(null));
}

/** Calls back whenever something under one of the topics changed, with null when changes may have been missed. */
export function subscribeTopics(topics: readonly string[], callback: Callback): () => void {
  const later = () => {
    if (pending === 0) pending = window.setTimeout(reopen, 50);
  };
  for (const topic of topics) subscribers.set(topic, (subscribers.get(topic) ?? new Set()).add(callback));
  later();
  return () => {
    for (const topic of topics) {
      const callbacks = subscribers.get(topic);
      callbacks?.delete(callback);
      if (callbacks?.size === 0) subscribers.delete(topic);
    }
    later();
  };
}

if (typeof document !== 'undefined') {
  document.addEventListener('visibilitychange', () => {
    reopen();
    // Whatever changed while nobody looked is read now.
    if (!document.hidden) tell(null);
  });
}
