/** One release: what it is called, where it is from, what is said of it, and its files. */
import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Release } from '../../lib/releases.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import type { Tasks } from '../../ui/markdown/useTasks.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { ProjectMilestoneLink } from '../milestones/MilestoneLink.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './releases.module.css';

interface ReleaseCardProps {
  release: Release;
  /** Its name as a heading of the list; the page of one release has its own. */
  named?: boolean;
  actions?: ReactNode;
  /** Changes one check box of the text, for those who may. */
  tick?: Tasks['update'] | undefined;
}

function Files({ release }: { release: Release }) {
  const { links, sources = [] } = release.assets;
  if (links.length + sources.length === 0) return null;
  return (
    <section aria-label="Files">
      <h3 className={classes.filesHead}>Files</h3>
      <ul className={classes.files}>
        {links.map((link) => (
          <li key={link.id}>
            <a href={link.direct_asset_url} rel="noreferrer">
              {link.name}
            </a>{' '}
            {link.link_type === 'other' ? null : (
              <Badge size="sm" variant="default">
                {link.link_type}
              </Badge>
            )}
          </li>
        ))}
        {sources.map(({ format, url }) => (
          <li key={format}>
            <a href={url} download>
              Source code ({format})
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ReleaseCard({ release, named, actions, tick }: ReleaseCardProps) {
  const { path, segment } = useProject();
  const { tag_name: tag, commit } = release;
  return (
    <article className={classes.card} aria-label={release.name}>
      {named || actions || release.upcoming_release ? (
        <header className={classes.head}>
          {named ? (
            <h2 className={classes.name}>
              {tag === undefined ? (
                release.name
              ) : (
                <Link to="/p/$path/releases/$" params={{ path: segment, _splat: tag }} data-entry>
                  {release.name}
                </Link>
              )}
            </h2>
          ) : null}
          {release.upcoming_release ? <Badge variant="default">upcoming</Badge> : null}
          <span className={classes.grow} />
          {actions}
        </header>
      ) : null}
      <p className={classes.facts}>
        {tag === undefined ? null : (
          <Link to="/p/$path/tree/$" params={{ path: segment, _splat: tag }}>
            {tag}
          </Link>
        )}
        {commit ? (
          <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }}>
            <code>{commit.short_id}</code>
          </Link>
        ) : null}
        {release.milestones?.map((milestone) => (
          <ProjectMilestoneLink key={milestone.id} milestone={milestone} />
        ))}
        <span>
          {release.author ? `${release.author.name}, ` : ''}
          <TimeAgo at={release.released_at} />
        </span>
      </p>
      {release.description_html ? (
        <MarkdownBody
          html={release.description_html}
          of={{ kind: 'project', path }}
          tasks={tick ? { text: release.description ?? '', update: tick } : undefined}
        />
      ) : null}
      <Files release={release} />
    </article>
  );
}
