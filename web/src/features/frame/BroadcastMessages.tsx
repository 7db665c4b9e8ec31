/** What administrators tell everybody: banners above the page, notifications in its corner. */
import { CloseButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useMatches } from '@tanstack/react-router';
import { useState } from 'react';
import { dismiss, dismissedMessages, isDismissed, shownAt, withLinks } from '../../lib/announcements.ts';
import { activeMessages, type BroadcastMessage } from '../../lib/broadcast-messages.ts';
import * as data from '../../lib/data.ts';
import { queries } from '../../lib/queries.ts';
import { sessionQuery } from '../../lib/session.ts';
import { fromSegment } from '../../lib/urls.ts';
import { levelIn } from '../projects/useProject.ts';
import classes from './BroadcastMessages.module.css';

/** The project that the page is of. */
function useOwnLevel(): number | undefined {
  const { data: session } = useQuery(sessionQuery);
  const segment = useMatches({ select: ([, match]) => (match?.params as { path?: string } | undefined)?.path });
  if (segment === undefined) return undefined;
  const project = queries.getQueryData(data.project(fromSegment(segment)).queryKey);
  return project && levelIn(project, session?.user);
}

interface Props {
  readonly message: BroadcastMessage;
  close(): void;
}

function Message({ message, close }: Props) {
  const banner = message.broadcast_type === 'banner';
  return (
    <section
      className={banner ? classes.banner : classes.notification}
      data-theme={message.theme}
      aria-label={banner ? 'Announcement' : 'Notification'}
    >
      <span className={classes.text}>
        {withLinks(message.message).map((piece) =>
          typeof piece === 'string' ? (
            piece
          ) : (
            <a key={`${piece.href} ${piece.text}`} href={piece.href} rel="noreferrer">
              {piece.text}
            </a>
          ),
        )}
      </span>
      {message.dismissable ? (
        <CloseButton size={24} className={classes.close} aria-label="Dismiss" onClick={close} />
      ) : null}
    </section>
  );
}

export function BroadcastMessages() {
  const { data: active } = useQuery(activeMessages());
  const path = useLocation({ select: ({ pathname }) => pathname });
  const own = useOwnLevel();
  const [dismissed, setDismissed] = useState(dismissedMessages);
  // In the order in which they were made.
  const shown = shownAt(active ?? [], path, own).filter((each) => !isDismissed(each, dismissed));
  const of = (type: BroadcastMessage['broadcast_type']) =>
    shown
      .filter((each) => each.broadcast_type === type)
      .toReversed()
      .map((message) => <Message key={message.id} message={message} close={() => setDismissed(dismiss(message))} />);
  const notifications = of('notification');
  return (
    <>
      {of('banner')}
      {notifications.length > 0 ? <div className={classes.corner}>{notifications}</div> : null}
    </>
  );
}
