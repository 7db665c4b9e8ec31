/** Dates and points in time as clients write them. */

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d{2}:?\d{2})?)?$/;

/** A Date from ISO 8601 with or without fraction, offset (default UTC) and time; null when it is none. */
export function parseDateTime(text: string): Date | null {
  if (text.length > 100) return null;
  // A `+` of an offset that was not escaped in a query arrives as a blank.
  const match = dateTime.exec(text.trim().replace(/ (\d{2}:?\d{2})$/, '+$1'));
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', offset = 'Z'] = match;
  const zone =
    offset.toUpperCase() === 'Z' ? 'Z' : offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
  const value = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`,
  );
  // The year 0 is none in PostgreSQL.
  if (Number.isNaN(value.getTime()) || year === '0000') return null;
  const check = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return check.getUTCDate() === Number(day) ? value : null;
}

/** The day of a date or date-time as it is written, `YYYY-MM-DD`; null when it is none. */
export function parseDate(text: string): string | null {
  const trimmed = text.trim();
  return parseDateTime(trimmed) ? trimmed.slice(0, 10) : null;
}
