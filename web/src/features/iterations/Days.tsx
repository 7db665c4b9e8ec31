/** First and last day of something. */
const day = (date: string) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

export function Days({ span }: { span: { readonly start_date: string | null; readonly due_date: string | null } }) {
  const { start_date: first, due_date: last } = span;
  if (!first && !last) return <span>No dates</span>;
  return (
    <span>
      {first ? day(first) : 'No start date'} – {last ? day(last) : 'no due date'}
    </span>
  );
}
