/** A shell in a running job: the terminal is loaded with this page alone. */
import '@xterm/xterm/css/xterm.css';
import { Alert, Button, Loader } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLive } from '../../lib/useLive.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './terminal.module.css';
import { openTerminal, type TerminalState } from './terminal.ts';

const states: Record<TerminalState['kind'], string> = {
  connecting: 'Connecting…',
  open: 'Connected',
  closed: 'Disconnected',
};

const unavailable: TerminalState = {
  kind: 'closed',
  reason: 'The job is not running, or you cannot open a terminal in it.',
  failed: false,
};

interface Opened {
  readonly projectId: number;
  readonly jobId: number;
  said(state: TerminalState): void;
}

/** One connection; another one is another element. */
function TerminalView({ projectId, jobId, said }: Opened) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(
    () => (place.current ? openTerminal(place.current, { projectId, jobId }, said) : undefined),
    [projectId, jobId, said],
  );
  return <div ref={place} className={classes.terminal} />;
}

export default function TerminalPage() {
  const { id = '' } = useParams({ strict: false });
  const { project, parts, path, segment } = useProject();
  const { data: job } = useSuspenseQuery(parts.job(Number(id)));
  const cache = useQueryClient();
  // Nothing is loaded for a terminal that cannot be opened.
  const [state, setState] = useState<TerminalState>(() => (job.terminal ? { kind: 'connecting' } : unavailable));
  const [attempt, setAttempt] = useState(job.terminal ? 1 : 0);
  useLive([`job:${job.id}`], [['project', path, 'job', job.id]]);
  const jobId = job.id;
  const said = useCallback(
    (next: TerminalState) => {
      setState(next);
      if (next.kind === 'closed') void cache.invalidateQueries({ queryKey: ['project', path, 'job', jobId] });
    },
    [cache, path, jobId],
  );
  const reconnect = () => {
    setState({ kind: 'connecting' });
    setAttempt(attempt + 1);
  };
  return (
    <Page
      title={`Terminal · ${job.name} · ${project.name_with_namespace}`}
      heading={`Terminal: ${job.name}`}
      wide
      actions={
        <LinkButton size="xs" variant="default" to="/p/$path/jobs/$id" params={{ path: segment, id: String(job.id) }}>
          Back to job
        </LinkButton>
      }
    >
      <div className={classes.facts}>
        <StatusBadge status={job.status} />
        <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(job.id) }}>
          Job #{job.id}
        </Link>
        <span role="status">
          {state.kind === 'connecting' ? <Loader size={12} mr={6} /> : null}
          {states[state.kind]}
        </span>
      </div>
      {state.kind === 'closed' ? (
        <Alert variant="light" mb="md" color={state.failed ? 'red' : 'gray'} title="Terminal closed">
          <span className={classes.closed}>
            {state.reason}
            {job.terminal ? (
              <Button size="compact-sm" variant="default" onClick={reconnect}>
                Reconnect
              </Button>
            ) : null}
          </span>
        </Alert>
      ) : null}
      {attempt > 0 ? <TerminalView key={attempt} projectId={project.id} jobId={jobId} said={said} /> : null}
      <p className={classes.note}>
        The shell runs with the variables of the job, secrets included. Its output is not part of the job log, and the
        job ends only after all terminals are closed.
      </p>
    </Page>
  );
}
