/** Messages of merge and squash commits, and descriptions that merge requests start with, from the project's templates. */

interface Person {
  readonly name: string;
  readonly email: string;
}

export interface MessageFacts {
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string;
  /** `group/project!12` */
  readonly reference: string;
  readonly url: string;
  readonly author: Person;
  readonly mergedBy: Person;
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

/** Puts values in. A line that holds nothing but empty variables is dropped; unknown ones stay. */
function filled(template: string, values: ReadonlyMap<string, string>): string {
  return template
    .split('\n')
    .flatMap((line) => {
      let emptied = false;
      const text = line.replaceAll(/%\{(\w+)\}/g, (whole, name: string) => {
        const value = values.get(name);
        if (value === undefined) return whole;
        if (value === '') emptied = true;
        return value;
      });
      return emptied && text.trim() === '' ? [] : [text];
    })
    .join('\n');
}

/** Values that come from commits. `messages`: oldest first. */
const ofCommits = (messages: readonly string[], title: string): [string, string][] => [
  ['first_commit', messages[0]?.trim() ?? ''],
  ['first_multiline_commit', messages.find((message) => message.trim().includes('\n'))?.trim() ?? title],
  ['all_commits', messages.map((message) => `* ${message.trim()}`).join('\n\n')],
];

/** Fills a template of a commit's message; blank lines are not doubled. */
export function commitMessage(template: string, facts: MessageFacts): string {
  const person = (user: Person) => `${user.name} <${user.email}>`;
  const values = new Map([
    ['source_branch', facts.sourceBranch],
    ['target_branch', facts.targetBranch],
    ['title', facts.title],
    ['description', facts.description],
    ['issues', closedIssues(facts.description)],
    ['reference', facts.reference],
    ['local_reference', `!${facts.reference.split('!').at(-1)}`],
    ['url', facts.url],
    ['approved_by', ''],
    ['reviewed_by', ''],
    ['merged_by', person(facts.mergedBy)],
    ['merge_request_author', person(facts.author)],
    ['co_authored_by', ''],
    ...ofCommits(facts.commitMessages, facts.title),
  ]);
  return filled(template, values)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

/** Messages beyond this are left out of descriptions. Bytes, nearly. */
const longestMessage = 100 * 1024;

export interface DescriptionFacts {
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  /** Who asks for the merge: no author beside themselves. */
  readonly authorEmails: readonly string[];
  /** Oldest first. */
  readonly commits: readonly {
    readonly message: string;
    readonly parent_ids: readonly string[];
    readonly author_name: string;
    readonly author_email: string;
  }[];
}

/** Fills a template of descriptions: fewer variables than those of commits, and its blank lines are its own. */
export function firstDescription(template: string, facts: DescriptionFacts): string {
  const own = new Set(facts.authorEmails.map((email) => email.toLowerCase()));
  const others = new Map(
    facts.commits
      .filter((commit) => !own.has(commit.author_email.toLowerCase()))
      .map((commit) => [commit.author_email.toLowerCase(), `${commit.author_name} <${commit.author_email}>`]),
  );
  const messages = facts.commits
    .filter(({ message, parent_ids }) => parent_ids.length < 2 && message.length <= longestMessage)
    .map(({ message }) => message);
  return filled(
    template,
    new Map([
      ['source_branch', facts.sourceBranch],
      ['target_branch', facts.targetBranch],
      ['co_authored_by', [...others.values()].map((author) => `Co-authored-by: ${author}`).join('\n')],
      ...ofCommits(messages, facts.title),
    ]),
  );
}
