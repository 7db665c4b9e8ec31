/** What to type in an empty repository. */
interface Started {
  readonly name: string;
  readonly path: string;
  readonly default_branch?: string | null;
}

/** A word of the shell, whatever stands in it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Commands that push what is there already, and that begin anew. */
export function firstSteps({ name, path, default_branch }: Started, address: string) {
  const branch = default_branch ?? 'main';
  return {
    existing: `git remote add origin ${address}\ngit push --set-upstream origin --all\ngit push --tags`,
    fresh: [
      `git clone ${address}`,
      `cd ${path}`,
      `git switch --create ${branch}`,
      `echo ${quoted(`# ${name}`)} > README.md`,
      'git add README.md',
      "git commit -m 'Add README'",
      `git push --set-upstream origin ${branch}`,
    ].join('\n'),
  };
}
