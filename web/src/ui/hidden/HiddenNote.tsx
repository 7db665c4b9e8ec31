/** That there are characters in some code that nobody sees, and where. */
import { Alert } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import classes from './hidden.module.css';

/** More lines than this are not told one by one. */
const mostLines = 8;

export interface HiddenProps {
  /** How many places have such characters. */
  places: number;
  /** Their lines, where these have addresses. */
  lines?: readonly number[];
  /** Where the marks are; left out where they are below. */
  where?: string;
}

export default function HiddenNote({ places, lines = [], where = 'here' }: HiddenProps) {
  return (
    <Alert className={classes.alert} variant="light" color="yellow" icon={<IconEyeOff size={18} />} role="note">
      Hidden characters in {places === 1 ? 'one place' : `${places} places`}: the text may not do what it appears to do.
      They are marked {where}, with their codes.
      {lines.length > 0 ? (
        <span>
          {' '}
          {lines.length === 1 ? 'Line' : 'Lines'}{' '}
          {lines.slice(0, mostLines).map((line, index) => (
            <span key={line}>
              {index === 0 ? '' : ', '}
              <Link to="." search hash={`L${line}`} replace resetScroll={false} hashScrollIntoView={false}>
                {line}
              </Link>
            </span>
          ))}
          {lines.length > mostLines ? ` and ${lines.length - mostLines} more` : ''}.
        </span>
      ) : null}
    </Alert>
  );
}
