/** Offers a merge request for the branch that the person has just pushed. */
import { CloseButton } from '@mantine/core';
import { IconGitBranch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { recentPush } from '../../lib/repository.ts';
import { sessionQuery } from '../../lib/session.ts';
import { LinkButton } from '../../ui/links.ts';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './recent-push.module.css';

const dismissedKey = 'millrace-dismissed-push';

export function RecentPush() {
  const { project, segment, level: own } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const { data: push } = useQuery({
    ...recentPush(project),
    enabled:
      Boolean(session?.user) &&
      own >= level.developer &&
      !project.empty_repo &&
      project.merge_requests_enabled !== false,
  });
  const [dismissed, setDismissed] = useState(() => sessionStorage.getItem(dismissedKey));
  if (!push || dismissed === `${project.id} ${push.at}`) return null;
  return (
    <section className={classes.push} aria-label="Your last push">
      <IconGitBranch size={16} aria-hidden />
      <span className={classes.text}>
        You pushed <RefBadge name={push.branch} /> <TimeAgo at={push.at} />
      </span>
      <LinkButton
        to="/p/$path/merge_requests/new"
        params={{ path: segment }}
        search={{ source: push.branch }}
        variant="filled"
      >
        Create merge request
      </LinkButton>
      <CloseButton
        size={28}
        aria-label="Dismiss"
        onClick={() => {
          sessionStorage.setItem(dismissedKey, `${project.id} ${push.at}`);
          setDismissed(`${project.id} ${push.at}`);
        }}
      />
    </section>
  );
}
