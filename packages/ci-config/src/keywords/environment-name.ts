/** Names that environments and resource groups may have. */
import { isText, name, noLonger, type Schema, subjectOf } from './schema.ts';

const PATTERN = /^[\w ./${}-]+$/;
const shortName = noLonger(255, name);

/** Variables in the name are expanded later. */
export const environmentName: Schema = (node, at, problems) => {
  if (!shortName(node, at, problems)) return false;
  const given = isText(node) ? node.text : '';
  if (PATTERN.test(given) && !given.startsWith('/') && !given.endsWith('/')) return true;
  problems.error(
    node.mark,
    `${subjectOf(at)} can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'`,
  );
  return false;
};
