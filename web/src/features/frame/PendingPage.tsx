/** What stands in for a page that takes longer than a moment: its shape, without movement. */
import { Skeleton, Stack } from '@mantine/core';
import classes from './Frame.module.css';

const rows = [1, 2, 3, 4, 5, 6];

const Rows = () => rows.map((row) => <Skeleton key={row} height={40} animate={false} />);

export function PendingPage() {
  return (
    <main className={classes.main} aria-busy="true" aria-label="Loading">
      <Stack gap="md">
        <Skeleton height={28} width={240} animate={false} />
        <Rows />
      </Stack>
    </main>
  );
}

/** Below a heading and tabs that stay, as those of a merge request. */
export function PendingPart() {
  return (
    <section aria-busy="true" aria-label="Loading">
      <Stack gap="md">
        <Rows />
      </Stack>
    </section>
  );
}
