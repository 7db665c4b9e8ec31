/** The first steps of a new instance, for its administrators: until there are a mail server, a project and a runner. */
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { overview } from '../../lib/overview.ts';
import { sessionQuery } from '../../lib/session.ts';
import classes from './first-run.module.css';

function Step({ done, title, children }: { done: boolean; title: string; children: ReactNode }) {
  const Icon = done ? IconCircleCheck : IconCircleDashed;
  return (
    <li data-done={done}>
      <Icon size={18} aria-hidden />
      <div>
        <strong>
          {title}
          {done ? ': done' : ''}
        </strong>
        <p>{children}</p>
      </div>
    </li>
  );
}

export function FirstRun() {
  const { data: session } = useQuery(sessionQuery);
  const { data } = useQuery({ ...overview(), enabled: session?.admin === true, refetchInterval: false });
  // Later an instance without a project or a mail server is somebody's choice.
  if (!data || (data.counts.projects > 0 && data.runners.total > 0)) return null;
  return (
    <section className={classes.steps} aria-label="First steps">
      <h2>Set up this instance</h2>
      <ol>
        <Step done={data.mail} title="Address and mail">
          People reach this instance at <code>{data.external_url}</code>. Change it with <code>MILLRACE_URL</code>, and
          set <code>MILLRACE_SMTP_URL</code> to send mail.
        </Step>
        <Step done={data.counts.projects > 0} title="First project">
          <Link to="/projects/new">Create or import a project</Link>, or push to a new path:{' '}
          <code>
            git push {data.external_url}/{session?.user?.username}/my-project.git
          </code>
        </Step>
        <Step done={data.runners.online > 0 || data.runners.built_in} title="Runner">
          {data.runners.built_in ? (
            <>
              The built-in runner starts with the first job. To run jobs elsewhere,{' '}
              <Link to="/admin/runners">create a runner</Link>.
            </>
          ) : (
            <>
              Jobs need one. <Link to="/admin/runners">Create a runner</Link> and run the command that is shown.
            </>
          )}
        </Step>
      </ol>
      <p>
        Only looking around? <code>millrace demo</code> adds a demo organisation with projects, issues, merge requests
        and pipelines.
      </p>
    </section>
  );
}
