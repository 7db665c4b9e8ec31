/** The first steps of a project without commits: what to type, with this project's addresses. */
import { Text, Title } from '@mantine/core';
import type { Schemas } from '../../lib/api.ts';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import classes from './projects.module.css';

export function EmptyRepository({ project }: { project: Schemas['Project'] }) {
  const address = project.http_url_to_repo;
  const branch = project.default_branch ?? 'main';
  return (
    <EmptyState title="This repository is empty">
      <Text c="var(--mr-dim)">Over HTTP the password is an access token.</Text>
      <Title order={3} size="md" className={classes.section}>
        Push an existing repository
      </Title>
      <Command text={`git remote add origin ${address}\ngit push --set-upstream origin --all\ngit push --tags`} />
      <Title order={3} size="md" className={classes.section}>
        Or start a new one
      </Title>
      <Command
        text={`git clone ${address}\ncd ${project.path}\ngit switch --create ${branch}\necho '# ${project.name}' > README.md\ngit add README.md\ngit commit -m 'Add README'\ngit push --set-upstream origin ${branch}`}
      />
    </EmptyState>
  );
}
