/** Quick actions: commands on lines of comments and of descriptions, applied by the services of what they are about. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { NoteableKinds, NoteableType, Place } from '../notes/kinds.ts';
import type { NoteService } from '../notes/notes.service.ts';
import { type Applied, requireSomething } from './applied.ts';
import type { Command, Commandable, Outcome, Running, Wish } from './commands.ts';
import { commandsIn, type WrittenCommand } from './parser.ts';
import { sharedCommands } from './shared.ts';

export type { Applied } from './applied.ts';
export { dayIn, labelsIn, noDay, usersIn } from './arguments.ts';
export {
  type Command,
  type Commandable,
  type Current,
  guarded,
  type Outcome,
  type Running,
  type Wish,
} from './commands.ts';

/** A comment, or no more than what its commands did. */
export interface Commented {
  readonly note: Note | null;
  readonly applied: Applied | null;
}

export interface QuickActions {
  /** Creates a thing of what is no command in its description, then applies the commands; what `create` answers. */
  creating<T>(
    type: NoteableType,
    caller: Caller,
    description: string | null | undefined,
    create: (description: string | null) => Promise<T>,
    placeOf: (made: T) => Place,
  ): Promise<T>;
  /**
   * Changes a description to what is no command in it, then applies the commands; what `change` answers or, after commands,
   * what `again` does.
   */
  describing<T>(
    place: Place,
    caller: Caller,
    description: string | null | undefined,
    change: (description: string | null | undefined) => Promise<T>,
    again: () => Promise<T | null | undefined>,
  ): Promise<T>;
  /** A text without its commands, and what applies these, once the text is written. */
  extracted(place: Place, caller: Caller, body: string): { readonly text: string; apply(): Promise<Applied> };
  /** Writes what is no command, then applies the commands. */
  comment(place: Place, caller: Caller, body: string, write: (body: string) => Promise<Note>): Promise<Commented>;
  /** The same for another text of a comment; one that is left with nothing but commands is removed. */
  edit(place: Place, caller: Caller, note: Note, body: string): Promise<Commented>;
}

const none: Applied = { changes: {}, summary: [], failure: null, some: false };

const known = new WeakMap<Commandable, ReadonlyMap<string, Command>>();

function commandsOf(kind: Commandable): ReadonlyMap<string, Command> {
  const found = known.get(kind);
  if (found) return found;
  const shared = kind.shared === false ? [] : sharedCommands;
  const all = [...shared.filter(({ needs }) => !needs || kind.fields.has(needs)), ...kind.commands];
  const named = new Map(all.flatMap((command) => command.names.map((name) => [name, command] as const)));
  known.set(kind, named);
  return named;
}

/** What a change was refused for, as a sentence: `Title can't be blank`. */
function sentenceOf(error: HttpError): string {
  const message: unknown = 'message' in error.body ? error.body.message : null;
  if (typeof message !== 'object' || message === null) return error.message;
  const reasons = Object.entries(message as Record<string, string | readonly string[]>).flatMap(([field, problems]) => {
    const name = `${field.slice(0, 1).toUpperCase()}${field.slice(1).replaceAll('_', ' ')}`;
    return [problems].flat().map((problem) => (field === 'base' ? problem : `${name} ${problem}`));
  });
  return reasons.join(', ');
}

export function quickActions(
  db: Db,
  kinds: NoteableKinds,
  notes: Pick<NoteService, 'requireComment' | 'requireEdit' | 'edit' | 'remove'>,
): QuickActions {
  const extract = (type: NoteableType, text: string) => {
    const { commands } = kinds.of(type);
    return commands ? commandsIn(text, new Set(commandsOf(commands).keys())) : { text, commands: [] };
  };

  async function run(place: Place, caller: Caller, written: readonly WrittenCommand[]): Promise<Applied> {
    const { commands: kind, noun } = kinds.of(place.noteable.type);
    if (!kind || !caller.user || written.length === 0) return none;
    const current = await kind.current(place);
    const about: Omit<Running, 'wish'> = {
      ...{ db, place, caller, userId: caller.user.id, kind, current, noun: noun.replace(/^an? /, '') },
      written: new Set(written.map(({ name }) => name)),
      async metadataOf(reference) {
        for (const { commands } of kinds.all()) {
          const found = await commands?.metadataOf?.(place, caller, reference);
          if (found) return found;
        }
        return null;
      },
    };
    let wish: Wish = {};
    const summary = written.map(({ name }) => `Could not apply ${name} command.`);
    const found: (Outcome & { readonly at: number })[] = [];
    for (const [at, { name, argument }] of written.entries()) {
      const outcome = await commandsOf(kind)
        .get(name)
        ?.run({ ...about, wish }, argument);
      if (typeof outcome === 'string') summary[at] = outcome;
      else if (outcome) {
        wish = { ...wish, ...outcome.wish };
        found.push({ ...outcome, at });
      }
    }
    let changes: Record<string, unknown> = {};
    let some = false;
    const applied = (outcome: Outcome & { readonly at: number }) => {
      changes = { ...changes, ...outcome.changes };
      summary[outcome.at] = outcome.summary;
      some = true;
    };
    try {
      if (Object.keys(wish).length > 0) await kind.update(place, caller, wish);
      for (const outcome of found.filter(({ after }) => !after)) applied(outcome);
      for (const outcome of found) {
        if (!outcome.after) continue;
        await outcome.after();
        applied(outcome);
      }
    } catch (error) {
      if (!(error instanceof HttpError) || error.status >= 500) throw error;
      const failure = sentenceOf(error);
      return { changes, summary: [...summary, failure], failure, some };
    }
    return { changes, summary, failure: null, some };
  }

  return {
    extracted(place, caller, body) {
      const { text, commands } = extract(place.noteable.type, body);
      return { text, apply: () => run(place, caller, commands) };
    },
    async creating(type, caller, description, create, placeOf) {
      const { text, commands } = extract(type, description ?? '');
      const made = await create(description == null ? null : text);
      await run(placeOf(made), caller, commands);
      return made;
    },
    async describing(place, caller, description, change, again) {
      const { text, commands } = extract(place.noteable.type, description ?? '');
      if (commands.length === 0) return await change(description);
      const changed = await change(text);
      await run(place, caller, commands);
      return (await again()) ?? changed;
    },
    async edit(place, caller, note, body) {
      const { text, commands } = extract(place.noteable.type, body);
      if (commands.length === 0) return { note: await notes.edit(place, caller, note, text), applied: null };
      notes.requireEdit(place, caller, note);
      const edited = text === '' ? null : await notes.edit(place, caller, note, text);
      const applied = await run(place, caller, commands);
      if (edited === null) requireSomething(applied);
      if (edited === null) await notes.remove(place, caller, note);
      return { note: edited, applied };
    },
    async comment(place, caller, body, write) {
      const { text, commands } = extract(place.noteable.type, body);
      if (commands.length === 0) return { note: await write(text), applied: null };
      notes.requireComment(place, caller);
      const note = text === '' ? null : await write(text);
      return { note, applied: await run(place, caller, commands) };
    },
  };
}
