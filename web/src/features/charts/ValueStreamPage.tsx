/** Value stream of a project or group: median time of each stage, from the first push to production. */
import { SegmentedControl } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Stage, spanText, valueStream } from '../../lib/value-stream.ts';
import { Page } from '../../ui/Page.tsx';
import { type IterationsInView, useGroupIterations, useProjectIterations } from '../iterations/useIterations.ts';
import classes from './charts.module.css';

const words: Readonly<Record<Stage['name'], readonly [name: string, explanation: string]>> = {
  issue: ['Issues', 'From creating an issue to closing it'],
  code: ['Code', 'From the first push of a branch to its merge request'],
  review: ['Review', 'From creating a merge request to merging it'],
  deploy: ['Deploy', 'From merging to the first deployment to production'],
  cycle: ['Cycle time', 'From the first push to production'],
};
const spans = ['7', '30', '90'];

function ValueStreamView({ of }: { of: IterationsInView }) {
  const [days, setDays] = useState(30);
  const { data } = useSuspenseQuery(valueStream(of.kind, of.path, days));
  const longest = Math.max(1, ...data.stages.map(({ median_seconds: median }) => median ?? 0));
  return (
    <Page title={`Value stream · ${of.name}`} heading="Value stream">
      <div className={classes.head}>
        <span>Median times of what finished in the last {days} days</span>
        <SegmentedControl
          size="xs"
          aria-label="Days"
          data={spans.map((value) => ({ value, label: `${value} days` }))}
          value={String(days)}
          onChange={(value) => setDays(Number(value))}
        />
      </div>
      <table className={classes.stages}>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <th scope="col">Median time</th>
            <th scope="col">Finished</th>
          </tr>
        </thead>
        <tbody>
          {data.stages.map(({ name, count, median_seconds: median }) => (
            <tr key={name}>
              <th scope="row">
                {words[name][0]}
                <span className={classes.explanation}>{words[name][1]}</span>
              </th>
              <td>
                {median === null ? 'No data' : spanText(median)}
                <div className={classes.stage} style={{ width: `${((median ?? 0) / longest) * 100}%` }} aria-hidden />
              </td>
              <td>{count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Page>
  );
}

export function ProjectValueStream() {
  return <ValueStreamView of={useProjectIterations()} />;
}

export function GroupValueStream() {
  return <ValueStreamView of={useGroupIterations()} />;
}
