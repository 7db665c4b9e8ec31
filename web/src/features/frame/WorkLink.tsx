/** How much waits for the person, in the bar at the top: leads to the list of it. */
import { IconInbox } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { todosKey } from '../../lib/todos.ts';
import { useLive } from '../../lib/useLive.ts';
import { workCounts, workSentence } from '../../lib/work.ts';
import classes from './Frame.module.css';

/** More is not read as a number. */
const most = 99;

export function WorkLink({ userId }: { readonly userId: number }) {
  const { data: counts } = useQuery(workCounts());
  useLive([`user:${userId}:todos`], [todosKey]);
  const waiting = counts?.waiting ?? 0;
  return (
    <Link
      to="/dashboard/work"
      className={classes.work}
      aria-label={waiting === 0 ? 'Your work' : `Your work, ${waiting} waiting`}
      title={(counts && workSentence(counts)) ?? 'Your work'}
    >
      <IconInbox size={18} aria-hidden />
      {waiting === 0 ? null : <span className={classes.waiting}>{waiting > most ? `${most}+` : waiting}</span>}
    </Link>
  );
}
