/** Names that environments and resource groups may have. */
import { isText, name, noLonger, type Schema, subjectOf } from './schema.ts';

const PATTERN = /^[\w ./${}-]+$/;
const LONGEST = 255;
const shortName = noLonger(LONGEST, name);

/** Whether the characters can be those of a name. */
const isPossible = (text: string): boolean => PATTERN.test(text) && !text.startsWith('/') && !text.endsWith('/');

/** Whether it can be a name when its variables have been expanded. */
export const isEnvironmentName = (text: string): boolean => text.length <= LONGEST && isPossible(text);

/** Variables in the name are expanded later. */
export const environmentName: Schema = (node, at, problems) => {
  if (!shortName(node, at, problems)) return false;
  if (isPossible(isText(node) ? node.text : '')) return true;
  problems.error(
    node.mark,
    `${subjectOf(at)} can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'`,
  );
  return false;
};
