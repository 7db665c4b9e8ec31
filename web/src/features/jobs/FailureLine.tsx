/** Why a job failed, in one line on top of its page, with the way to the end of the log. */
import { Alert } from '@mantine/core';
import { useMemo } from 'react';
import { parseLog } from '../../lib/ansi/log.ts';
import type { Schemas } from '../../lib/api.ts';
import { failures } from '../pipelines/words.ts';
import { lastOutput } from './visible.ts';

export function FailureLine({ job, text }: { job: Schemas['Job']; text: string | null }) {
  const last = useMemo(() => (text === null ? null : lastOutput(parseLog(text))), [text]);
  const reason = failures[job.failure_reason ?? ''] ?? job.failure_reason;
  return (
    <Alert color="red" variant="light" mb="md" role="status">
      {reason}
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
