/** A text of the document, with `code` between backticks. */
import { Fragment } from 'react';

export function Rich({ text }: { text: string }) {
  const parts = text.split('`').map((part, at) => ({ part, at, code: at % 2 === 1 }));
  return parts.map(({ part, at, code }) =>
    code ? <code key={`${at} ${part}`}>{part}</code> : <Fragment key={`${at} ${part}`}>{part}</Fragment>,
  );
}
