/** What the references of a text lead to, for the one who reads it: one lookup for each kind of thing and each place. */
import { canOnGroup, canOnProject } from '../authz/can.ts';
import type { Caller, GroupSubject, ProjectSubject, Subject } from '../authz/subjects.ts';
import type { ParentLoader } from '../http/parents.ts';
import type { OwnPlace } from './places.ts';
import type { Reference, ReferenceKindName } from './references.ts';

/** Where a reference leads. */
export interface ReferenceTarget {
  /** Path from the root of the instance, or the whole address of something elsewhere. */
  readonly path: string;
  readonly elsewhere?: true;
  readonly title: string;
  /** Of what may be written with its title: what has become of it. */
  readonly state?: 'opened' | 'closed' | 'merged' | 'moved';
  /** Who works on it, and what it is planned for. */
  readonly summary?: readonly string[];
  /** Shown on a colour: the parts of its name, the last one on no colour where there are several. */
  readonly label?: { readonly color: string; readonly textColor: string; readonly parts: readonly string[] };
  /**
   * How texts of other places write it after the path of the place, where that is not as it is written here; with a slash in
   * front, the whole of it.
   */
  readonly lasting?: string;
}

/** With the kind that it is of: a name may be a user's or a group's. */
export interface FoundTarget extends ReferenceTarget {
  readonly kind: ReferenceKindName;
  /** The project or group that it was found in; null for what is of the whole instance. */
  readonly place: Subject | null;
}

interface KindOf<Within, Place> {
  readonly kind: ReferenceKindName;
  /** What its references are looked up in. */
  readonly within: Within;
  /** Targets by the value that was asked for; the reader sees the place. */
  find(
    values: readonly string[],
    reader: {
      readonly caller: Caller;
      readonly place: Place;
      /** Those of the values that want a summary. */
      readonly summarised: readonly string[];
    },
  ): Promise<ReadonlyMap<string, ReferenceTarget>>;
}

/**
 * A kind of thing that texts name. A feature that has it hands it to the composition root, and finds those that exist and that
 * the caller may see.
 */
export type ReferenceKind =
  | KindOf<'instance', null>
  | KindOf<'project', ProjectSubject>
  | KindOf<'group', GroupSubject>
  | KindOf<'either', Subject>;

type Named = Pick<Reference, 'kind' | 'place' | 'value' | 'format'>;

/** Other projects and groups whose things one text may name. */
const maximumPlaces = 20;
/** Things of one kind in one place that one text may name. */
const maximumValues = 1000;

/** Full path of the place that a reference names, with what it may be; null where the text is of no such place. */
function placeNamed(within: ReferenceKind['within'], place: string | null, own: OwnPlace): string | null {
  if (within === 'instance') return '';
  const kind = within === 'group' || (within === 'either' && own.project === null) ? 'group' : 'project';
  if (place === null) {
    const path = kind === 'group' ? own.group : own.project;
    return path === null ? null : `${kind}:${path}`;
  }
  if (kind === 'group' && within === 'group') return `group:${place}`;
  const path = place.includes('/') || own.group === null ? place : `${own.group}/${place}`;
  return within === 'either' ? `either:${path}:${place}` : `project:${path}`;
}

export function targetFinder(parents: () => Pick<ParentLoader, 'project' | 'group'>) {
  async function projectAt(path: string, caller: Caller): Promise<ProjectSubject | null> {
    const subject = await parents().project(path, caller);
    return subject && canOnProject(caller, 'read_project', subject) ? subject : null;
  }
  async function groupAt(path: string, caller: Caller): Promise<GroupSubject | null> {
    const subject = await parents().group(path, caller);
    return subject && canOnGroup(caller, 'read_group', subject) ? subject : null;
  }
  /** Null for what the reader may not see. */
  async function subjectAt(place: string, caller: Caller): Promise<Subject | null> {
    const [kind, path = '', groupPath = path] = place.split(':');
    // Digits alone are an id, which texts do not have.
    if (/^\d+$/.test(groupPath)) return null;
    const project = kind === 'group' ? null : await projectAt(path, caller);
    return project ?? (kind === 'project' ? null : await groupAt(groupPath, caller));
  }

  async function found(
    kind: ReferenceKind,
    values: readonly string[],
    place: Subject | null,
    reader: { readonly caller: Caller; readonly summarised: readonly string[] },
  ): Promise<ReadonlyMap<string, ReferenceTarget>> {
    if (kind.within === 'instance') return await kind.find(values, { ...reader, place: null });
    if (place === null) return new Map();
    if (kind.within === 'either') return await kind.find(values, { ...reader, place });
    if (kind.within === 'project')
      return place.kind === 'project' ? await kind.find(values, { ...reader, place }) : new Map();
    return place.kind === 'group' ? await kind.find(values, { ...reader, place }) : new Map();
  }

  return async (
    kinds: ReadonlyMap<ReferenceKindName, ReferenceKind>,
    references: readonly Named[],
    own: OwnPlace,
    caller: Caller,
  ): Promise<(reference: Named) => FoundTarget | undefined> => {
    const askOf = ({ kind: name, place }: Named) => {
      const kind = kinds.get(name);
      const at = kind ? placeNamed(kind.within, place, own) : null;
      return kind && at !== null ? { kind, at, key: `${name} ${at}` } : null;
    };
    // Users and groups share their names, as issues and those of trackers elsewhere do.
    const meant = (named: Named): Named[] => {
      if (named.kind === 'user') return [named, { ...named, kind: 'group' }];
      if (named.kind !== 'issue' || named.place !== null) return [named];
      return [named, { ...named, kind: 'external_issue', value: `#${named.value}` }];
    };
    const asked = new Map<string, { kind: ReferenceKind; at: string; values: Set<string>; summarised: Set<string> }>();
    const places = new Set<string>();
    for (const reference of references.flatMap(meant)) {
      const ask = askOf(reference);
      if (ask === null || (places.size >= maximumPlaces && !places.has(ask.at))) continue;
      places.add(ask.at);
      const { values, summarised } = asked.get(ask.key) ?? { values: new Set<string>(), summarised: new Set<string>() };
      if (values.size < maximumValues) values.add(reference.value);
      if (reference.format === '+s') summarised.add(reference.value);
      asked.set(ask.key, { ...ask, values, summarised });
    }
    places.delete('');
    const subjects = new Map(
      await Promise.all([...places].map(async (place) => [place, await subjectAt(place, caller)] as const)),
    );
    const targets = new Map(
      await Promise.all(
        [...asked].map(
          async ([key, { kind, at, values, summarised }]) =>
            [
              key,
              await found(kind, [...values], subjects.get(at) ?? null, { caller, summarised: [...summarised] }),
            ] as const,
        ),
      ),
    );
    return (reference) => {
      for (const named of meant(reference)) {
        const ask = askOf(named);
        const target = ask && targets.get(ask.key)?.get(named.value);
        if (target) return { ...target, kind: named.kind, place: subjects.get(ask.at) ?? null };
      }
      return undefined;
    };
  };
}
