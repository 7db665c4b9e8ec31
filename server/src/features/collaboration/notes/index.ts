/** Comments and threads, on whatever people discuss. */
export { commandsOnly, declarations, type NoteRouteDependencies, valuesOf } from './declarations.ts';
export { discussionRoutes } from './discussions.routes.ts';
export {
  type Followed,
  type FollowedKind,
  isFollowed,
  type MailedThing,
  may,
  mayComment,
  type Noteable,
  type NoteableKind,
  type NoteableKinds,
  type NoteableType,
  noteableKinds,
  ofProject,
  type Place,
  projectNoteAbilities,
  type TodoTarget,
} from './kinds.ts';
export {
  AppliedCommands,
  CommitNote,
  commitNoteJson,
  type LoadedNote,
  Note,
  type NoteJson,
  noteableType,
  noteJson,
  noteType,
  Suggestion,
  type SuggestionJson,
} from './notes.entity.ts';
export {
  listNotes,
  moveNotes,
  newestNote,
  noteById,
  notesById,
  notesOf,
  removeNotesOf,
  unresolvedNotes,
  unresolvedThreads,
  withPeople,
} from './notes.queries.ts';
export { noteRoutes } from './notes.routes.ts';
export {
  invalidNote,
  type NewNote,
  type NoteHook,
  type NoteService,
  newDiscussionId,
  noteService,
} from './notes.service.ts';
export { PositionParam, positionOf } from './positions.params.ts';
export { movePositions, type NotePosition, placedNotes } from './positions.queries.ts';
export { changedLine, lineCode, type Position, positionedLine, shiftedLine, withPaths } from './positions.ts';
export { insertReference, type ReferenceSource } from './references.queries.ts';
export { type SystemNoteAction, systemNote } from './system-notes.ts';
export { idsNumbered, notesOfSnippets } from './transfer.queries.ts';
export { groupNoteRelation, importedThread, noteRelation, snippetNotes } from './transfer.ts';
