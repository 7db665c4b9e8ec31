/** Why a form was not taken, in the API's words. */
import { IconAlertCircle } from '@tabler/icons-react';
import classes from './ui.module.css';

export function FormError({ error }: { error: Error | null }) {
  if (!error) return null;
  return (
    <div role="alert" className={classes.error}>
      <IconAlertCircle size={18} aria-hidden />
      <span>{error.message}</span>
    </div>
  );
}
