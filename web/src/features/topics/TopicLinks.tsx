/** The topics of a project, each a way to others of its kind. */
import { Link } from '@tanstack/react-router';
import classes from './topics.module.css';

export function TopicLinks({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return null;
  return (
    <ul className={classes.topics} aria-label="Topics">
      {topics.map((name) => (
        <li key={name}>
          <Link to="/explore/projects/topics/$name" params={{ name }} className={classes.topic}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
