/** What can be created: in the project in view, and from everywhere. */
import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useMatches } from '@tanstack/react-router';
import { useState } from 'react';
import * as data from '../../lib/data.ts';
import { sessionQuery } from '../../lib/session.ts';
import { fromSegment } from '../../lib/urls.ts';
import { type MenuButton, useOpensAtOnce } from '../../ui/onDemand.tsx';
import { featureIsOpen, level, levelIn } from '../projects/useProject.ts';
import { placeOf } from './place.ts';

function InProject({ segment }: { segment: string }) {
  const { data: project } = useQuery({ ...data.project(fromSegment(segment)), enabled: false });
  const { data: session } = useQuery(sessionQuery);
  if (!project || project.archived) return null;
  const own = levelIn(project, session?.user);
  const issues = project.issues_enabled !== false && featureIsOpen(project.issues_access_level, own);
  const requests = project.merge_requests_enabled !== false && own >= level.developer;
  if (!issues && !requests) return null;
  const params = { path: segment };
  return (
    <>
      <Menu.Label>{project.name}</Menu.Label>
      {issues ? (
        <Menu.Item renderRoot={(props) => <Link {...props} to="/p/$path/issues/new" params={params} />}>
          New issue
        </Menu.Item>
      ) : null}
      {requests ? (
        <Menu.Item renderRoot={(props) => <Link {...props} to="/p/$path/merge_requests/new" params={params} />}>
          New merge request
        </Menu.Item>
      ) : null}
      <Menu.Label>Everywhere</Menu.Label>
    </>
  );
}

export default function CreateMenu({ target }: { target: MenuButton }) {
  const [opened, setOpened] = useState(false);
  const button = useOpensAtOnce(target, () => setOpened(true));
  const [kind, segment] = useMatches({ select: placeOf })?.split('/', 2) ?? [];
  return (
    <Menu position="bottom-end" width={220} opened={opened} onChange={setOpened}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {kind === 'project' && segment ? <InProject segment={segment} /> : null}
        <Menu.Item component={Link} to="/projects/new">
          New project
        </Menu.Item>
        <Menu.Item component={Link} to="/groups/new">
          New group
        </Menu.Item>
        <Menu.Item renderRoot={(props) => <Link {...props} to="/-/snippets/$" params={{ _splat: 'new' }} />}>
          New snippet
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
