/** The method of a request; its colour repeats what the word says. */
import classes from './api-docs.module.css';

export function Method({ method }: { method: string }) {
  return (
    <span className={classes.method} data-method={method}>
      {method}
    </span>
  );
}
