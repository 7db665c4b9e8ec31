/** Live updates: one event stream for the topics that the open page asks about, and whether it is connected. */
import { latestCursor, noteCursor, older, type Since } from './cursors.ts';

type Callback = (topic: string | null) => void;
type ConnectionState = 'live' | 'lost' | 'back';

interface Subscription {
  readonly topics: readonly string[];
  readonly callback: Callback;
  /** Every change before it is known to the subscriber. */
  since: Since;
  /** The stream is open for it: what the stream reports, it hears. */
  attached: boolean;
}

const subscriptions = new Set<Subscription>();
const watchers = new Set<() => void>();
let source: EventSource | null = null;
let opened = '';
/** Everything before it was reported on the open stream, or known before it was opened; null when nobody can say. */
let reported: Since = null;
let state: ConnectionState = 'live';
let pending = 0;
const gatherMilliseconds = 50;
/** Whether the page that was asked for is still on its way. */
let loading = (): boolean => false;
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
  for (const { topics, callback } of [...subscriptions]) if (topic === null || topics.includes(topic)) callback(topic);
}

function advance(to: Since): void {
  reported = to;
  for (const subscription of subscriptions) if (subscription.attached) subscription.since = to;
}

/** Whether the open stream reports all that the subscriber does not know yet. */
const covered = ({ attached, since }: Subscription): boolean =>
  attached || (since !== null && reported !== null && since.order >= reported.order);

/** Opens no stream while it says so: the page that is still loading names its own topics, and one stream serves all. */
export function holdWhile(busy: () => boolean): void {
  loading = busy;
}

/** Opens the stream for exactly the topics that are wanted now; several changes in one turn open it once. */
function reopen(): void {
  pending = 0;
  if (loading()) {
    pending = window.setTimeout(reopen, gatherMilliseconds);
    return;
  }
  // Browsers open few connections to a host: pages that nobody looks at must not hold one each.
  const wanted = document.hidden ? [] : [...subscriptions];
  const topics = [...new Set(wanted.flatMap((each) => each.topics))].sort().join(',');
  if (topics === opened && wanted.every(covered)) {
    for (const subscription of wanted) subscription.attached = true;
    return;
  }
  source?.close();
  source = null;
  reported = null;
  opened = topics;
  for (const subscription of subscriptions) subscription.attached = false;
  if (topics === '') return;
  const since = wanted.map((each) => each.since).reduce(older);
  // Who comes before the first report and knows as much needs no other stream.
  reported = since;
  for (const subscription of wanted) subscription.attached = true;
  const query = new URLSearchParams({ topics, cursor: since?.text ?? '' });
  const next = new EventSource(`/api/v4/live?${query}`);
  source = next;
  next.onopen = () => {
    if (state === 'lost') setState('back');
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
  next.addEventListener('cursor', (event) => {
    if (next === source) advance(noteCursor((event as MessageEvent<string>).lastEventId));
  });
}

/**
 * Calls back whenever something under one of the topics changed since the cursor, with null when changes may have been
 * missed.
 */
export function subscribeTopics(
  topics: readonly string[],
  callback: Callback,
  since: Since = latestCursor(),
): () => void {
  const later = () => {
    if (pending === 0) pending = window.setTimeout(reopen, gatherMilliseconds);
  };
  const subscription: Subscription = { topics, callback, since, attached: false };
  subscriptions.add(subscription);
  later();
  return () => {
    subscriptions.delete(subscription);
    later();
  };
}

// Nobody looks: the stream is closed. Somebody looks again: it goes on where it ended.
if (typeof document !== 'undefined') document.addEventListener('visibilitychange', reopen);
