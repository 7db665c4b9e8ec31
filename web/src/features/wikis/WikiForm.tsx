/** Writing a page: text and preview, and the message of its commit. What others wrote meanwhile is not written over. */
import { Alert, Stack, TextInput } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import type { WikiFormat, WikiPage, WikiPageListed } from '../../lib/wikis.ts';
import { Select } from '../../ui/Choices.tsx';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { MarkdownEditor } from '../editor/MarkdownEditor.tsx';
import type { WikiInView } from './useWiki.ts';
import { WikiFrame } from './WikiFrame.tsx';
import { useWikiNavigate, WikiLink } from './WikiLink.tsx';
import classes from './wikis.module.css';

const formats: readonly { readonly value: WikiFormat; readonly label: string }[] = [
  { value: 'markdown', label: 'Markdown' },
  { value: 'rdoc', label: 'RDoc' },
  { value: 'asciidoc', label: 'AsciiDoc' },
  { value: 'org', label: 'Org' },
];

interface Props {
  readonly of: WikiInView;
  readonly pages: readonly WikiPageListed[];
  /** Null for a new one. */
  readonly page: WikiPage | null;
  readonly title: string;
}

/** The newest version that the writer has seen: the one that is there when the form opens. */
function useSeenVersion(of: WikiInView, slug: string | null): string | undefined {
  const { data } = useSuspenseQuery({
    ...of.wiki.versions(slug ?? '', 1, 1),
    ...(slug === null ? { queryFn: async () => ({ items: [], nextPage: null, total: 0 }) } : {}),
  });
  const [seen] = useState(data.items[0]?.id);
  return seen;
}

export function WikiForm({ of, pages, page, title: first }: Props) {
  const seen = useSeenVersion(of, page?.slug ?? null);
  const [title, setTitle] = useState(first);
  const [format, setFormat] = useState<WikiFormat>(page?.format ?? 'markdown');
  const [content, setContent] = useState(page?.content ?? '');
  const [message, setMessage] = useState('');
  const cache = useQueryClient();
  const go = useWikiNavigate();
  const sending = useForm(async () => {
    const rest = { content, format, ...(message ? { message } : {}) };
    const change = { ...rest, title };
    // A title that was not touched is not sent: it would be made from the slug, and might make another slug.
    const saved = await (page
      ? of.wiki.change(page.slug, title === first ? rest : change, seen)
      : of.wiki.create(change)
    ).catch(async (error: unknown) => {
      // Refused because of what others wrote: whoever leaves the form sees that.
      await cache.invalidateQueries({ queryKey: of.wiki.key });
      throw error;
    });
    await cache.fetchQuery({ ...of.wiki.pages(), staleTime: 0 });
    cache.removeQueries({ queryKey: [...of.wiki.key, 'versions'] });
    await cache.invalidateQueries({ queryKey: [...of.wiki.key, 'page'] });
    await go({ of, slug: saved.slug });
  });
  const conflict = page !== null && sending.error instanceof ApiError && sending.error.status === 409;
  return (
    <WikiFrame
      of={of}
      pages={pages}
      slug={page?.slug ?? null}
      adds={false}
      title={page ? `Edit ${page.title}` : 'New page'}
    >
      <form {...sending.form} className={classes.form}>
        {conflict ? (
          <Alert color="red" variant="light" role="alert" mb="sm" title="This page has changed in the meantime">
            Your changes are not saved. View{' '}
            <WikiLink of={of} slug={page.slug} newTab>
              the current version
            </WikiLink>{' '}
            in a new tab, merge both versions, and reopen the form to save.
          </Alert>
        ) : (
          <FormError error={sending.error} />
        )}
        <Stack gap="md">
          <TextInput
            label="Title"
            description="Use slashes for folders: guide/First steps"
            required
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
            error={sending.reason('title')}
          />
          <Select
            label="Format"
            data={[...formats]}
            value={format}
            allowDeselect={false}
            maw={200}
            onChange={(value) => setFormat(formats.find((each) => each.value === value)?.value ?? 'markdown')}
          />
          <MarkdownEditor
            label="Text"
            required
            rows={14}
            place={of}
            value={content}
            change={setContent}
            error={sending.reason('content')}
            base={{ wiki_page: page?.slug ?? title.trim().replaceAll(/\s+/g, '-') }}
            plain={format === 'markdown' ? undefined : <pre className={classes.plain}>{content}</pre>}
          />
          <TextInput
            label="Commit message"
            placeholder={page ? `Update ${title || 'page'}` : `Create ${title || 'page'}`}
            value={message}
            onChange={(event) => setMessage(event.currentTarget.value)}
            error={sending.reason('message')}
          />
          <FormActions
            action={page ? 'Save changes' : 'Create page'}
            pending={sending.pending}
            cancel={() => void go({ of, slug: page?.slug })}
          />
        </Stack>
      </form>
    </WikiFrame>
  );
}
