/** Settings of a project or a group: one list on the left, one part at a time. */
import { type AsyncRouteComponent, Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { Page } from '../../ui/Page.tsx';
import { Settled } from '../../ui/Settled.tsx';
import { SideList } from '../../ui/SideList.tsx';
import classes from './settings.module.css';

/**
 * By the word in the address: what the list calls a part, the part, and whether it has a heading of its own where others
 * have none. The first one is shown without a word.
 */
export type SettingsParts = Readonly<Record<string, readonly [string, AsyncRouteComponent<object>, 'heading'?]>>;

const partOf = (parts: SettingsParts, name: string | undefined) => {
  const entries = Object.entries(parts);
  return entries.find(([key]) => key === name) ?? entries[0];
};

/** Loads the part that an address names, so that the page appears with it. */
export const loadPart = (parts: SettingsParts) => async (name: string | undefined) => {
  await partOf(parts, name)?.[1][1].preload?.();
};

interface Props {
  readonly kind: 'p' | 'g';
  readonly segment: string;
  /** Whose settings: for the title of the page. */
  readonly whose: string;
  readonly parts: SettingsParts;
  readonly part: string | undefined;
  /** Parts have no heading of their own. */
  readonly headed?: boolean;
}

export function SettingsFrame({ kind, segment, whose, parts, part, headed = false }: Props) {
  const entries = Object.entries(parts);
  const [first] = entries;
  const found = partOf(parts, part);
  if (!found || !first) return null;
  const [name, [title, Part, own]] = found;
  const params = { path: segment };
  return (
    <Page title={`${title} · ${whose}`} heading="Settings">
      <div className={classes.layout}>
        <SideList label="Settings">
          {entries.map(([key, [label]]) => (
            <Link
              key={key}
              to={`/${kind}/$path/settings`}
              params={params}
              search={{ part: key === first[0] ? undefined : key }}
              activeOptions={{ exact: true }}
              aria-current={key === name ? 'page' : undefined}
            >
              {label}
            </Link>
          ))}
          <Link to={`/${kind}/$path/audit_events`} params={params}>
            Audit events
          </Link>
        </SideList>
        <section aria-label={title} className={classes.part}>
          {headed && !own ? <h2>{title}</h2> : null}
          <Suspense key={name} fallback={null}>
            <Settled>
              <Part />
            </Settled>
          </Suspense>
        </section>
      </div>
    </Page>
  );
}
