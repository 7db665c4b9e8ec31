/** Why each job is in a pipeline or not: the rules that were looked at, with the values that they read. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ExplainedJob, type ExplainedRule, explanation } from '../../lib/explanations.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './explanation.module.css';

/** A place in a file of this commit; files of other projects and addresses are named only. */
function Place({ file, line, sha }: { file: string; line: number; sha: string }) {
  const { segment } = useProject();
  const text = `${file}:${line}`;
  if (/[\s:@]/.test(file)) return <code>{text}</code>;
  return (
    <Link to="/p/$path/blob/$" params={{ path: segment, _splat: `${sha}/${file}` }} hash={`L${line}`}>
      <code>{text}</code>
    </Link>
  );
}

function Condition({ one }: { one: ExplainedRule['conditions'][number] }) {
  return (
    <li>
      <span className={one.holds ? classes.true : classes.false}>{one.holds ? 'true' : 'false'}</span>
      <code>
        {one.kind}: {one.text}
      </code>
      {one.values.length > 0 ? (
        <ul className={classes.values} aria-label="Values">
          {one.values.map(({ name, value, hidden }) => (
            <li key={name}>
              <code>${name}</code>{' '}
              {hidden ? '= [masked]' : value === null ? 'is not set' : `= ${JSON.stringify(value)}`}
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}

function Rules({ rules, sha }: { rules: readonly ExplainedRule[]; sha: string }) {
  return (
    <ol className={classes.rules}>
      {rules.map((rule) => (
        <li key={`${rule.file}:${rule.line}`}>
          <span className={classes.rule}>
            {rule.holds ? 'Matches' : 'Does not match'} <Place {...rule} sha={sha} />
          </span>
          <ul className={classes.conditions}>
            {rule.conditions.map((one) => (
              <Condition key={one.kind} one={one} />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function Job({ job, sha }: { job: ExplainedJob; sha: string }) {
  return (
    <details className={classes.job}>
      <summary>
        <strong>{job.name}</strong>
        <span className={classes.reason}>{job.reason}</span>
      </summary>
      <p className={classes.place}>
        Defined in <Place {...job} sha={sha} />
      </p>
      {job.rules.length > 0 ? <Rules rules={job.rules} sha={sha} /> : null}
    </details>
  );
}

function Jobs({ title, jobs, sha }: { title: string; jobs: readonly ExplainedJob[]; sha: string }) {
  if (jobs.length === 0) return null;
  return (
    <section aria-label={title} className={classes.part}>
      <h2 className={classes.title}>
        {title} <span className={classes.count}>{jobs.length}</span>
      </h2>
      {jobs.map((job) => (
        <Job key={job.name} job={job} sha={sha} />
      ))}
    </section>
  );
}

export function Explanation({ pipelineId, sha }: { pipelineId: number; sha: string }) {
  const { path } = useProject();
  const { data, error } = useQuery(explanation(path, pipelineId));
  if (error)
    return (
      <EmptyState title="No explanation">Older pipelines, and pipelines without jobs, have no explanation.</EmptyState>
    );
  if (!data) return null;
  return (
    <>
      {data.workflow ? (
        <section aria-label="Workflow rules" className={classes.part}>
          <h2 className={classes.title}>Workflow rules</h2>
          <Rules rules={data.workflow.rules} sha={sha} />
        </section>
      ) : null}
      <Jobs title="Jobs in the pipeline" jobs={data.jobs.filter((job) => job.included)} sha={sha} />
      <Jobs title="Jobs left out" jobs={data.jobs.filter((job) => !job.included)} sha={sha} />
    </>
  );
}
