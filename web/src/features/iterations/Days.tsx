/** First and last day of something. */
import { dayText } from '../../lib/time.ts';

export function Days({ span }: { span: { readonly start_date: string | null; readonly due_date: string | null } }) {
  const { start_date: first, due_date: last } = span;
  if (!first && !last) return <span>No dates</span>;
  return (
    <span>
      {first ? dayText(first) : 'No start date'} – {last ? dayText(last) : 'no due date'}
    </span>
  );
}
