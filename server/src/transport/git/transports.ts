/** The repository side of git's transports, implemented by the repository feature: of projects, wikis and snippets. */
import type { Readable } from 'node:stream';
import type { Caller, ProjectSubject, Subject } from '../../kernel/authz/subjects.ts';

export type GitService = 'git-upload-pack' | 'git-receive-pack';
export type GitProgram = GitService | 'git-upload-archive';

/** The two-way connection of a session. */
export interface GitConnection {
  readonly input: AsyncIterable<Buffer>;
  /** Sends to the client; resolves when it may be given more. */
  send(data: Readable | Uint8Array): Promise<void>;
  readonly version: 0 | 1 | 2;
  readonly signal: AbortSignal;
}

export interface GitTransport<S> {
  /** The advertisement without its service header, for a protocol version (0, 1 or 2). */
  advertise(subject: S, caller: Caller, service: GitService, version: number, signal: AbortSignal): Promise<Readable>;
  /** One stateless round of a fetch. */
  uploadPack(subject: S, caller: Caller, body: Readable, version: number, signal: AbortSignal): Promise<Readable>;
  /** A push: reads commands and pack, applies policy, moves refs, answers the report. */
  receivePack(subject: S, caller: Caller, body: Readable, signal: AbortSignal): Promise<Readable>;
  /** One program of git over a two-way connection, from its first byte to its last. Throws HttpErrors. */
  session(subject: S, caller: Caller, program: GitProgram, connection: GitConnection): Promise<void>;
}

/** Wikis of projects and groups, at the path of their place with `.wiki` after it. */
export interface WikiTransport<W> {
  sees(caller: Caller, place: Subject): boolean;
  may(caller: Caller, access: 'read' | 'write', place: Subject): boolean;
  /** Null where there is none yet and the caller makes none. */
  open(caller: Caller, place: Subject): Promise<W | null>;
  readonly transport: GitTransport<W>;
}

/** Snippets, at `snippets/ID`, below their project where they have one. */
export interface SnippetTransport<S> {
  /** Null where there is none for the caller. */
  find(caller: Caller, place: ProjectSubject | null, id: number): Promise<S | null>;
  writes(caller: Caller, snippet: S): boolean;
  readonly transport: GitTransport<S>;
}

/** A repository that a caller may work on, whichever kind it is. */
export interface OpenedRepository {
  advertise(service: GitService, version: number, signal: AbortSignal): Promise<Readable>;
  uploadPack(body: Readable, version: number, signal: AbortSignal): Promise<Readable>;
  receivePack(body: Readable, signal: AbortSignal): Promise<Readable>;
  session(program: GitProgram, connection: GitConnection): Promise<void>;
}

export const opened = <S>(transport: GitTransport<S>, subject: S, caller: Caller): OpenedRepository => ({
  advertise: (...rest) => transport.advertise(subject, caller, ...rest),
  uploadPack: (...rest) => transport.uploadPack(subject, caller, ...rest),
  receivePack: (...rest) => transport.receivePack(subject, caller, ...rest),
  session: (...rest) => transport.session(subject, caller, ...rest),
});
