/** A job's log, read again whenever more of it has arrived, at most once in a while. */
import { useEffect, useState } from 'react';
import { latestCursor } from '../../lib/cursors.ts';
import { subscribeTopics } from '../../lib/live.ts';

const pauseMilliseconds = 400;

/** The text of the log; null until it was read for the first time. */
export function useTrace(projectId: number, jobId: number, running: boolean): string | null {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let busy = false;
    let wanted = false;
    const read = async () => {
      if (busy) {
        wanted = true;
        return;
      }
      busy = true;
      const response = await fetch(`/api/v4/projects/${projectId}/jobs/${jobId}/trace`, { signal: stop.signal }).catch(
        () => null,
      );
      const next = response?.ok ? await response.text().catch(() => null) : null;
      if (stop.signal.aborted) return;
      if (next !== null) setText(next);
      setTimeout(() => {
        busy = false;
        if (!wanted || stop.signal.aborted) return;
        wanted = false;
        void read();
      }, pauseMilliseconds);
    };
    const since = latestCursor();
    void read();
    const leave = running ? subscribeTopics([`job:${jobId}:trace`], () => void read(), since) : () => undefined;
    return () => {
      stop.abort();
      leave();
    };
    // Read once more when the job ends: the last lines come with it.
  }, [projectId, jobId, running]);
  return text;
}
