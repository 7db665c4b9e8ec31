/** Names and values, one below the other; what is empty is left out. */
import type { ReactNode } from 'react';
import classes from './profile.module.css';

export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts }: { facts: readonly Fact[] }) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false);
  return (
    <dl className={classes.facts}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
