/** A line on every page while an administrator acts as somebody else: who as whom, and the way back. */
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { stopImpersonating } from '../../lib/api.ts';
import { sessionQuery, switchSession } from '../../lib/session.ts';
import classes from './ImpersonationBanner.module.css';

export default function ImpersonationBanner() {
  const { data } = useQuery(sessionQuery);
  const navigate = useNavigate();
  const user = data?.user;
  const stop = useMutation({
    mutationFn: stopImpersonating,
    onSuccess: async (session) => {
      // The page of the person first: what is open now may be nothing for the administrator.
      await navigate({ to: '/' });
      switchSession(session);
      if (session.admin && user) await navigate({ to: '/admin/users/$username', params: { username: user.username } });
    },
  });
  if (!data?.impersonator || !user) return null;
  return (
    <section className={classes.banner} aria-label="Impersonation">
      <span>
        <strong>{data.impersonator.name}</strong> is impersonating <strong>{user.name}</strong> (@{user.username}).
      </span>
      <Button size="compact-xs" variant="default" loading={stop.isPending} onClick={() => stop.mutate()}>
        Stop impersonating
      </Button>
    </section>
  );
}
