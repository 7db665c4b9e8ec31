/** The start page's heading, what can be created from it, and its row of lists: all of it stays while a list loads. */
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sessionQuery } from '../../lib/session.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { TabRow } from '../../ui/TabRow.tsx';
import { PendingPart } from '../frame/PendingPage.tsx';
import classes from './project-lists.module.css';

const lists = {
  yours: 'Yours',
  starred: 'Starred',
  contributed: 'Contributed',
  all: 'All',
  inactive: 'Inactive',
  activity: 'Activity',
} as const;
export type ProjectList = keyof typeof lists;

/** The list that an address names. */
export const projectListOf = (list: string | undefined): ProjectList =>
  list !== undefined && Object.hasOwn(lists, list) ? (list as ProjectList) : 'yours';

export function ProjectLists({ children }: { children: ReactNode }) {
  // Of the address, which leads before the list is there.
  const { list, order } = useLocation({ select: ({ search }) => search as { list?: string; order?: string } });
  const current = projectListOf(list);
  const { data: session } = useQuery(sessionQuery);
  if (session && !session.user)
    return (
      <Page
        title="Projects"
        actions={
          <>
            <LinkButton to="/explore/projects/topics">Topics</LinkButton>
            <LinkButton to="/dashboard/groups" search={{ list: 'all' }}>
              Groups
            </LinkButton>
          </>
        }
      >
        {children}
      </Page>
    );
  return (
    <Page
      title="Projects"
      actions={
        <>
          <LinkButton to="/dashboard/groups">Groups</LinkButton>
          <LinkButton to="/groups/new">New group</LinkButton>
          <LinkButton to="/projects/new" variant="filled">
            New project
          </LinkButton>
        </>
      }
    >
      <TabRow label="Lists of projects" className={classes.lists}>
        {Object.entries(lists).map(([name, label]) => (
          <Link
            key={name}
            to="/"
            search={{ list: name === 'yours' ? undefined : name, order }}
            aria-current={name === current ? 'page' : undefined}
            activeOptions={{ exact: true }}
          >
            {label}
          </Link>
        ))}
      </TabRow>
      {children}
    </Page>
  );
}

export function PendingProjects() {
  return (
    <ProjectLists>
      <PendingPart />
    </ProjectLists>
  );
}
