/** Roadmap of a group: its open epics as a tree beside the months that they last. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { barOf, epics, monthsOf, treeOf } from '../../lib/epics.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { Days } from '../iterations/Days.tsx';
import { EpicLink } from './EpicLink.tsx';
import classes from './roadmap.module.css';

export default function RoadmapPage() {
  const { group, path, segment } = useGroup();
  const { data } = useSuspenseQuery(epics(path, {}));
  const today = new Date().toISOString().slice(0, 10);
  const months = monthsOf(data.items, today);
  const now = barOf({ start_date: today, due_date: today }, months);
  const rows = treeOf(data.items);
  return (
    <Page
      wide
      title={`Roadmap · ${group.full_name}`}
      heading="Roadmap"
      actions={
        <LinkButton to="/g/$path/epics" params={{ path: segment }}>
          Epics
        </LinkButton>
      }
    >
      {rows.length === 0 ? (
        <EmptyState title="No open epics">Open epics with dates are shown here by month.</EmptyState>
      ) : (
        <section className={classes.scroll} aria-label="Roadmap" tabIndex={0}>
          <table className={classes.roadmap} style={{ minWidth: 220 + months.length * 110 }}>
            <thead>
              <tr>
                <th scope="col" className={classes.name}>
                  Epic
                </th>
                <th scope="col">
                  <span className={classes.months}>
                    {months.map(({ name, first }) => (
                      <span key={first}>{name}</span>
                    ))}
                  </span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ epic, depth }) => {
                const bar = barOf(epic, months);
                return (
                  <tr key={epic.id}>
                    <th scope="row" className={classes.name}>
                      <span style={{ paddingLeft: Math.min(depth, 6) * 16 }}>
                        <EpicLink epic={epic} />
                      </span>
                    </th>
                    <td>
                      <div className={classes.lane}>
                        {now ? <span className={classes.today} style={{ left: `${now.left}%` }} aria-hidden /> : null}
                        {bar ? (
                          <div
                            className={classes.bar}
                            data-open={!epic.start_date || !epic.due_date || undefined}
                            style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
                          >
                            <Days span={epic} />
                          </div>
                        ) : (
                          <span className={classes.without}>
                            {epic.start_date || epic.due_date ? 'Outside these months' : 'No dates'}
                          </span>
                        )}
                      </div>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </section>
      )}
      {data.nextPage === null ? null : <p>Only the first 100 epics are shown.</p>}
    </Page>
  );
}
