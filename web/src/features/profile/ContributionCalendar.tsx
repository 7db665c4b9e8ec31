/** What somebody did on each day of the last year: a column a week, darker for more. */
import { useQuery } from '@tanstack/react-query';
import { weeksOf } from '../../lib/contributions.ts';
import { counted } from '../../lib/counted.ts';
import { configuration } from '../../lib/instance.ts';
import { contributionsOf } from '../../lib/users.ts';
import classes from './calendar.module.css';

const months = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' });
const exact = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });

export function ContributionCalendar({ userId }: { userId: number }) {
  const { data } = useQuery(contributionsOf(userId));
  const { data: instance } = useQuery(configuration());
  if (!data || !instance) return null;
  const weeks = weeksOf(data, new Date(), instance.first_day_of_week);
  const total = data.reduce((sum, { count }) => sum + count, 0);
  return (
    <figure className={classes.calendar} aria-label="Contributions">
      <figcaption>{counted(total, 'contribution', 'contributions')} in the last year</figcaption>
      <div className={classes.scroll} tabIndex={0} role="region" aria-label="Contributions by day">
        <div className={classes.weeks}>
          {weeks.map((week) => (
            <div key={week.days[0]?.date} className={classes.week}>
              <span className={classes.month} aria-hidden>
                {week.startsMonth ? months.format(new Date(`${week.days[0]?.date}T00:00:00Z`)) : ''}
              </span>
              {week.days.map(({ date, count, level }) => (
                <span
                  key={date}
                  className={classes.day}
                  data-level={level}
                  title={`${counted(count, 'contribution', 'contributions')} on ${exact.format(new Date(`${date}T00:00:00Z`))}`}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
    </figure>
  );
}
