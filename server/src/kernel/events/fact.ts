/** How a kind of fact is declared, and what its consumers get. */
import Type, { type Static, type TProperties, type TSchema } from 'typebox';

/** A kind of fact and the schema of its payload, as it is stored. */
export interface FactDefinition<Kind extends string = string, Payload extends TSchema = TSchema> {
  readonly kind: Kind;
  readonly payload: Payload;
}

/** Declares a kind of fact. Definitions of the product are listed in `catalogue`. */
export const defineFact = <const Kind extends string, Payload extends TSchema>(
  kind: Kind,
  payload: Payload,
): FactDefinition<Kind, Payload> => ({ kind, payload });

/** Declares facts about one noun that have the same payload: `{ opened: 'merge_request.opened', ... }`. */
export const defineFacts = <const Noun extends string, const Event extends string, Payload extends TSchema>(
  noun: Noun,
  events: readonly Event[],
  payload: Payload,
) =>
  Object.fromEntries(events.map((event) => [event, defineFact(`${noun}.${event}`, payload)])) as unknown as {
    readonly [Each in Event]: FactDefinition<`${Noun}.${Each}`, Payload>;
  };

/** A payload of exactly these properties. */
export const payload = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

/** A time, as JSON has it. */
export const instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });

/** A time in the form that payloads store. */
export const toInstant = (date: Date): string => date.toISOString();

/** What a fact is about and who caused it, beside its payload. */
export interface FactContext {
  readonly project_id?: number | null;
  readonly namespace_id?: number | null;
  readonly actor_id?: number | null;
}

export interface StoredFact {
  /** Grows over time, and identifies a repeated delivery. */
  readonly id: number;
  readonly kind: string;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
  readonly actor_id: number | null;
  readonly payload: unknown;
  readonly created_at: Date;
}

/** A fact as its consumers get it; of several definitions a union that `kind` tells apart. */
export type Fact<D extends FactDefinition> =
  D extends FactDefinition<infer Kind, infer Payload>
    ? Omit<StoredFact, 'kind' | 'payload'> & { readonly kind: Kind; readonly payload: Static<Payload> }
    : never;

export type PayloadOf<D extends FactDefinition> =
  D extends FactDefinition<string, infer Payload> ? Static<Payload> : never;
