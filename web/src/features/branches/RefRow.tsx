/** A branch or a tag in a list: its name, what is said of it in a word, its commit, and what can be done with it. */
import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './ref-row.module.css';

interface RefRowProps {
  name: string;
  /** Words like `protected`. */
  words: readonly string[];
  message?: string | null | undefined;
  commit: Schemas['Commit'];
  at: string;
  /** The state of its CI. */
  mark?: ReactNode;
  /** How far it is: before what can be done with it. */
  state?: ReactNode;
  actions: ReactNode;
}

export function RefRow({ name, words, message, commit, at, mark, state, actions }: RefRowProps) {
  const { segment } = useProject();
  return (
    <DataRow
      before={mark}
      title={
        <span className={classes.title}>
          <Link to="/p/$path/tree/$" params={{ path: segment, _splat: name }} data-entry>
            {name}
          </Link>
          {words.map((word) => (
            <Badge key={word} size="sm" variant="default">
              {word}
            </Badge>
          ))}
          {message ? <span className={classes.message}>{message.split('\n', 1)[0]}</span> : null}
        </span>
      }
      meta={
        <>
          <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }} className={classes.sha}>
            <code>{commit.short_id}</code>
          </Link>
          <span>{commit.title}</span>
          <TimeAgo at={at} />
        </>
      }
      after={
        <>
          {state}
          {actions}
        </>
      }
    />
  );
}
