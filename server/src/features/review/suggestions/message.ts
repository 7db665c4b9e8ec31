/** Messages of commits that apply suggestions: a template with placeholders. Pure. */
import type { Project, User } from '../../../kernel/db/rows.ts';

export interface MessageFacts {
  readonly project: Pick<Project, 'name'>;
  readonly fullPath: string;
  readonly branch: string;
  readonly user: Pick<User, 'name' | 'username'>;
  readonly paths: readonly string[];
  readonly count: number;
  readonly coAuthors: ReadonlyArray<{ readonly name: string; readonly email: string }>;
}

const usual = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)\n\n%{co_authored_by}';
/** Neither makes a trailer of its own. */
const oneLine = (text: string) => text.replaceAll(/[\r\n<>]/g, ' ');

/** Placeholders that nobody knows stay as they are. */
export function commitMessage(template: string | null, facts: MessageFacts): string {
  const values: Readonly<Record<string, string>> = {
    branch_name: facts.branch,
    files_count: String(facts.paths.length),
    file_paths: facts.paths.join(', '),
    project_name: facts.project.name,
    project_path: facts.fullPath,
    user_full_name: facts.user.name,
    username: facts.user.username,
    suggestions_count: String(facts.count),
    co_authored_by: facts.coAuthors
      .map(({ name, email }) => `Co-authored-by: ${oneLine(name)} <${oneLine(email)}>`)
      .join('\n'),
  };
  const text = template !== null && template.trim() !== '' ? template : usual;
  return text.replaceAll(/%\{(\w{1,40})\}/g, (whole, name: string) => values[name] ?? whole).trimEnd();
}
