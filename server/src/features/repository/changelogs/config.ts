/** How a project wants its changelog: read from a file of its repository. Pure. */
import { readYaml, YamlError } from '@millrace/ci-config';
import { parseTemplate, type Template, TemplateError } from './template.ts';
import { usualTags, type Version, versionReader } from './versions.ts';

/** Why there is no changelog, in words. */
export class ChangelogError extends Error {
  override readonly name = 'ChangelogError';
}

export interface ChangelogConfig {
  readonly dateFormat: string;
  readonly categories: ReadonlyMap<string, string>;
  readonly template: Template;
  /** Full paths of groups whose members are thanked as well. */
  readonly includeGroups: readonly string[];
  readonly versionOfTag: (tag: string) => Version | null;
}

const usualTemplate = `{% if categories %}
{% each categories %}
### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})

{% each entries %}
- [{{ title }}]({{ commit.web_url }})\\
{% if author.credit %} by {{ author.reference }}{% end %}\\
{% if merge_request %} ([merge request]({{ merge_request.web_url }})){% end %}

{% end %}

{% end %}
{% else %}
No changes.
{% end %}
`;
const mostGroups = 20;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function templateOf(source: string): Template {
  try {
    return parseTemplate(source);
  } catch (error) {
    throw error instanceof TemplateError ? new ChangelogError(`the template is invalid: ${error.message}`) : error;
  }
}

function read(file: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value = readYaml(file, text);
    if (value === null) return {};
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new ChangelogError(error.message);
  }
  throw new ChangelogError(`${file} is not a mapping`);
}

/** The configuration; what it does not say is as usual. */
export function changelogConfig(file: string, text: string | null): ChangelogConfig {
  const given = text === null ? {} : read(file, text);
  const textOf = (name: string): string | undefined => {
    const value = given[name];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string') throw new ChangelogError(`${name} is not a text`);
    return value;
  };
  const { categories = {}, include_groups: groups = [] } = given;
  if (categories !== null && !isRecord(categories)) throw new ChangelogError('categories is not a mapping');
  if (groups !== null && !(Array.isArray(groups) && groups.every((each) => typeof each === 'string')))
    throw new ChangelogError('include_groups is not a list of paths');
  const includeGroups = (groups ?? []) as string[];
  if (includeGroups.length > mostGroups) throw new ChangelogError(`include_groups has more than ${mostGroups} groups`);
  const versionOfTag = versionReader(textOf('tag_regex') ?? usualTags);
  if (!versionOfTag) throw new ChangelogError('tag_regex is not a valid regular expression');
  return {
    dateFormat: textOf('date_format') ?? '%Y-%m-%d',
    categories: new Map(Object.entries(categories ?? {}).map(([name, title]) => [name, String(title ?? name)])),
    template: templateOf(textOf('template') ?? usualTemplate),
    includeGroups,
    versionOfTag,
  };
}
