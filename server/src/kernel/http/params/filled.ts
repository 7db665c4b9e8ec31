/** Filters of lists as clients send them from forms, where many are left empty. */

const isEmpty = (value: unknown) => value === '' || (Array.isArray(value) && value.length === 0);

/** Without those that are empty: they narrow nothing. */
export const filled = <T extends object>(params: T): Partial<T> =>
  Object.fromEntries(Object.entries(params).filter(([, value]) => !isEmpty(value))) as Partial<T>;
