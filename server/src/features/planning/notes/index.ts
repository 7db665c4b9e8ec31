/** Comments and threads, on whatever people discuss. */
export { commitNoteRoutes } from './commit-notes.routes.ts';
export { type LoadedNote, Note, noteableType, noteJson, noteType } from './notes.entity.ts';
export { moveNotes, newestNote, noteById, notesById, removeNotesOf } from './notes.queries.ts';
export { noteService } from './notes.service.ts';
export { noteRelation } from './transfer.ts';
