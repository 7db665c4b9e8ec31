/** Why a job failed, in one line on top of its page, with the way to the end of the log. */
import { Alert } from '@mantine/core';
import { useMemo } from 'react';
import { parseLog } from '../../lib/ansi/log.ts';
import type { Schemas } from '../../lib/api.ts';
import { failures } from '../pipelines/words.ts';
import type { Trace } from './trace.ts';
import { lastOutput } from './visible.ts';

export function FailureLine({ job, trace }: { job: Schemas['Job']; trace: Trace | null }) {
  const text = trace?.atEnd ? trace.text : null;
  const first = trace?.firstLine ?? 1;
  const last = useMemo(() => (text === null ? null : lastOutput(parseLog(text, first))), [text, first]);
  const reason = failures[job.failure_reason ?? ''] ?? job.failure_reason;
  return (
    <Alert color="red" variant="light" mb="md" role="status">
      {reason}
      {job.downstream_errors ? ` ${job.downstream_errors.join(' ')}` : ''}
      {typeof job.exit_code === 'number' ? ` Exit code ${job.exit_code}.` : ''}
      {last ? (
        <>
          {' '}
          Last output (
          <a href={`#L${last.number}`} style={{ textDecoration: 'underline' }}>
            line {last.number}
          </a>
          ): <code>{last.text}</code>
        </>
      ) : null}
    </Alert>
  );
}
