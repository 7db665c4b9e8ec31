/** One snippet: what it is for, its files, and how to clone it. */
import { Text } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { sessionQuery } from '../../lib/session.ts';
import { snippetTexts } from '../../lib/snippets.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { CodeView } from '../../ui/code/CodeView.tsx';
import { Command } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { PreviewOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { Visibility } from '../projects/Visibility.tsx';
import classes from './snippets.module.css';
import { type SnippetPlace, snippetLink, useSnippets } from './useSnippets.ts';

/** Texts are rendered for those who are signed in; others read them as they were written. */
function Description({ text, project }: { text: string; project: string | null }) {
  const { data: session } = useQuery(sessionQuery);
  if (!session?.user) return <p className={classes.plain}>{text}</p>;
  return (
    <div className={classes.description}>
      <PreviewOnDemand text={text} base={project === null ? {} : { project }} />
    </div>
  );
}

export function SnippetPage({ place, id }: { place: SnippetPlace; id: number }) {
  const { key, one, remove, go } = useSnippets(place);
  const { data: snippet } = useSuspenseQuery(one(id));
  const { data: texts } = useSuspenseQuery(snippetTexts(snippet));
  const { data: session } = useQuery(sessionQuery);
  const cache = useQueryClient();
  const writes = place.administers || (place.creates && session?.user?.id === snippet.author.id);
  return (
    <Page
      title={`${snippet.title} · ${place.name}`}
      heading={snippet.title}
      actions={
        writes ? (
          <>
            <LinkButton {...snippetLink(place.project, `${id}/edit`)}>Edit</LinkButton>
            <ConfirmButton
              title="Delete snippet"
              text="The snippet, its history and its comments will be deleted."
              action="Delete snippet"
              label="Delete"
              run={async () => {
                await remove(id);
                await go('');
              }}
              shown={() => cache.invalidateQueries({ queryKey: [...key, 'list'] })}
            />
          </>
        ) : null
      }
    >
      <div className={classes.facts}>
        <UserChip user={snippet.author} />
        <Visibility level={snippet.visibility} />
        <span>
          created <TimeAgo at={snippet.created_at} />
        </span>
      </div>
      {snippet.description ? <Description text={snippet.description} project={place.project} /> : null}
      {texts.map(({ path, content }, index) => (
        <section key={path} className={classes.file} aria-label={path}>
          <header className={classes.head}>
            <strong>{path}</strong>
            <span>
              <CopyButton value={content} label={`Copy ${path}`} />
              <a href={new URL(snippet.files[index]?.raw_url ?? snippet.raw_url).pathname}>Raw</a>
            </span>
          </header>
          {content === '' ? (
            <Text p="sm">This file is empty.</Text>
          ) : (
            <CodeView text={content} fileName={path} marked />
          )}
        </section>
      ))}
      <Command text={`git clone ${snippet.http_url_to_repo}`} />
    </Page>
  );
}
