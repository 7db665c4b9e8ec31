/** Snippets of projects as something that people discuss. */
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { type NoteableKind, ofProject, projectNoteAbilities } from '../../collaboration/notes/index.ts';
import { projectPath } from '../commits/commits.json.ts';
import { seesSnippet } from './access.ts';
import { findSnippet, updateSnippet } from './snippets.queries.ts';

export const snippetNoteable = (db: Db): NoteableKind => ({
  type: 'snippet',
  on: 'project',
  path: '/snippets/:snippet_id',
  params: { snippet_id: Int({ description: 'Id of the snippet' }) },
  noun: 'a snippet',
  notes: true,
  convertible: true,
  abilities: { ...projectNoteAbilities, read: 'read_snippet', write: 'create_snippet_note', resolve: null },
  async load(subject, { snippet_id: id }, caller) {
    const snippet = subject.kind === 'project' ? await findSnippet(db, Number(id)) : null;
    if (subject.kind !== 'project' || !snippet || snippet.project_id !== subject.project.id) throw notFound('Snippet');
    if (!seesSnippet(caller, { snippet, place: subject })) throw notFound('Snippet');
    const noteable = ofProject('snippet', { id: snippet.id, iid: null, project_id: subject.project.id });
    return { noteable, subject, title: snippet.title, authorId: snippet.author_id };
  },
  mailed: {
    async show(place, { id }, caller) {
      const snippet = id === null ? undefined : await findSnippet(db, id);
      if (!snippet || snippet.project_id !== place.project.id || !seesSnippet(caller, { snippet, place })) return null;
      return { json: {}, title: snippet.title, path: `/${projectPath(place)}/-/snippets/${snippet.id}` };
    },
    async people({ id }) {
      const snippet = id === null ? undefined : await findSnippet(db, id);
      return snippet?.author_id ? [snippet.author_id] : [];
    },
  },
  async commented(tx, places) {
    for (const id of places.flatMap(({ noteable }) => noteable.id ?? [])) await updateSnippet(tx, id, {});
  },
});
