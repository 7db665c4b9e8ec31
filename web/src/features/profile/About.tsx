/** What a person says of themselves: status, words, work, place, links. */

import { Text } from '@mantine/core';
import {
  IconBrandDiscord,
  IconBrandGithub,
  IconBrandLinkedin,
  IconBrandSkype,
  IconBrandX,
  IconBriefcase,
  IconCalendar,
  IconLink,
  IconMail,
  IconMapPin,
} from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { emoji } from '../../lib/emoji.ts';
import { linkOf } from '../../lib/people-links.ts';
import { ofUser } from '../../lib/users.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import classes from './profile.module.css';

/** A link that somebody wrote: it vouches for nothing. */
function Outside({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return <span>{children}</span>;
  return (
    <a href={href} rel="nofollow noopener noreferrer">
      {children}
    </a>
  );
}

function Status({ id }: { id: number }) {
  const { data: status } = useSuspenseQuery(ofUser(id).status());
  const busy = status.availability === 'busy';
  if (!status.message && !status.emoji && !busy) return null;
  return (
    <div className={classes.status}>
      {status.emoji ? <span aria-hidden>{emoji(status.emoji)} </span> : null}
      {status.message}
      {busy ? ' (busy)' : ''}
    </div>
  );
}

const links = [
  ['website_url', IconLink, 'Website'],
  ['github', IconBrandGithub, 'GitHub'],
  ['linkedin', IconBrandLinkedin, 'LinkedIn'],
  ['twitter', IconBrandX, 'X'],
  ['discord', IconBrandDiscord, 'Discord'],
  ['skype', IconBrandSkype, 'Skype'],
] as const;

export function About({ user }: { user: Schemas['UserView'] }) {
  return (
    <>
      <Status id={user.id} />
      {user.bio ? <Text>{user.bio}</Text> : null}
      <ul className={classes.lines}>
        {user.work_information ? (
          <li>
            <IconBriefcase size={16} aria-label="Work" />
            {user.work_information}
          </li>
        ) : null}
        {user.location ? (
          <li>
            <IconMapPin size={16} aria-label="Location" />
            {user.location}
          </li>
        ) : null}
        {user.public_email ? (
          <li>
            <IconMail size={16} aria-label="Email" />
            <a href={`mailto:${encodeURIComponent(user.public_email).replace('%40', '@')}`}>{user.public_email}</a>
          </li>
        ) : null}
        {links.map(([name, Icon, label]) => {
          const value = user[name];
          return value ? (
            <li key={name}>
              <Icon size={16} aria-label={label} />
              <Outside href={linkOf(name, value)}>
                {name === 'website_url' ? value.replace(/^https?:\/\/|\/$/g, '') : value}
              </Outside>
            </li>
          ) : null;
        })}
        {user.created_at ? (
          <li>
            <IconCalendar size={16} aria-label="Joined" />
            <span>
              Joined <TimeAgo at={user.created_at} />
            </span>
          </li>
        ) : null}
      </ul>
    </>
  );
}
