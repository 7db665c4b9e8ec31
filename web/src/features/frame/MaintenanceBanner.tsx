/** A line on every page while nothing can be changed: that it is so, and what the administrator says of it. */
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../lib/session.ts';
import classes from './ImpersonationBanner.module.css';

export function MaintenanceBanner() {
  const { data } = useQuery(sessionQuery);
  if (!data?.maintenance) return null;
  return (
    <section className={classes.banner} aria-label="Maintenance">
      <span>
        <strong>Maintenance:</strong> this instance is read-only. {data.maintenance.message}
      </span>
    </section>
  );
}
