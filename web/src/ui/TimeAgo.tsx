/** A relative time with the exact one on hover. */
import { useEffect, useState } from 'react';
import { relativeTime } from '../lib/time.ts';

export function TimeAgo({ at }: { at: string | null | undefined }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 30_000);
    return () => clearInterval(timer);
  }, []);
  if (!at) return <span>never</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {relativeTime(date, now)}
    </time>
  );
}
