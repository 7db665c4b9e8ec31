/** JSON of wiki pages, their versions and attachments. */
import { Entity, Fields, Id, Nullable, Sometimes, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';
import { formats } from './pages.ts';

const basics = {
  wiki_page_meta_id: Nullable(Id({ description: 'What events call the page' })),
  format: Word(formats),
  slug: Text({ description: 'What names the page in addresses' }),
  title: Text(),
};

/** A page in a list; with its text when that was asked for. */
export const WikiPageBasic = Entity('WikiPageBasic', {
  ...basics,
  content: Sometimes(Text({ description: 'With `with_content`' })),
  encoding: Sometimes(Text()),
});

export const WikiPage = Entity('WikiPage', {
  ...basics,
  content: Text({ description: 'HTML with `render_html`' }),
  encoding: Text(),
  front_matter: Fields({ title: Sometimes(Text()) }, { description: 'What the text says of itself at its beginning' }),
});

export const WikiPageVersion = Entity('WikiPageVersion', {
  id: Text({ description: 'Commit' }),
  short_id: Text(),
  title: Text({ description: 'First line of the message' }),
  author_name: Text(),
  author_email: Text(),
  authored_date: Timestamp(),
});

export const WikiAttachment = Entity('WikiAttachment', {
  file_name: Text(),
  file_path: Text({ description: 'Path in the repository of the wiki' }),
  branch: Text(),
  link: Fields({ url: Text({ description: 'For links in pages' }), markdown: Text() }),
});
