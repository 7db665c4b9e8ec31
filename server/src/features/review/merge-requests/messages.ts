/** Messages of merge and squash commits, from the project's templates. */

export interface MessageFacts {
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string;
  /** `group/project!12` */
  readonly reference: string;
  readonly url: string;
  readonly author: { name: string; email: string };
  readonly mergedBy: { name: string; email: string };
  /** Messages of the request's commits, oldest first. */
  readonly commitMessages: readonly string[];
}

export const defaultMergeTemplate =
  "Merge branch '%{source_branch}' into '%{target_branch}'\n\n%{title}\n\n%{issues}\n\nSee merge request %{reference}";
export const defaultSquashTemplate = '%{title}';

const closing =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?::?\s+)((?:#\d+(?:,?\s+(?:and\s+)?)?)+)/gi;

/** `Closes #1, #2` from a description, empty when it closes nothing. */
function closedIssues(description: string): string {
  const numbers = [...description.matchAll(closing)].flatMap((match) => match[1]?.match(/#\d+/g) ?? []);
  const unique = [...new Set(numbers)];
  if (unique.length === 0) return '';
  return `Closes ${unique.length === 1 ? unique[0] : `${unique.slice(0, -1).join(', ')} and ${unique.at(-1)}`}`;
}

/** Fills a template. A line that holds nothing but empty variables is dropped, and blank lines are not doubled. */
export function commitMessage(template: string, facts: MessageFacts): string {
  const person = (user: { name: string; email: string }) => `${user.name} <${user.email}>`;
  const values: Readonly<Record<string, string>> = {
    source_branch: facts.sourceBranch,
    target_branch: facts.targetBranch,
    title: facts.title,
    description: facts.description,
    issues: closedIssues(facts.description),
    reference: facts.reference,
    local_reference: `!${facts.reference.split('!').at(-1)}`,
    url: facts.url,
    approved_by: '',
    reviewed_by: '',
    merged_by: person(facts.mergedBy),
    merge_request_author: person(facts.author),
    co_authored_by: '',
    first_commit: facts.commitMessages[0]?.trim() ?? '',
    first_multiline_commit:
      facts.commitMessages.find((message) => message.trim().includes('\n'))?.trim() ?? facts.title,
    all_commits: facts.commitMessages.map((message) => `* ${message.trim()}`).join('\n\n'),
  };
  const lines = template.split('\n').flatMap((line) => {
    let emptied = false;
    const filled = line.replaceAll(/%\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      if (value === '') emptied = true;
      return value;
    });
    return emptied && filled.trim() === '' ? [] : [filled];
  });
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
