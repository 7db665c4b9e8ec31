/**
 * What an earlier domain needs of later ones. The earlier domain declares a port; later ones provide an implementation
 * while the application is composed. The process does not start when a port that has to have a provider has none.
 */

declare const face: unique symbol;

interface Port<Face> {
  readonly name: string;
  /** Only for the type: no value has it. */
  readonly [face]?: Face;
}

/** A port with exactly one provider. The face has functions only. */
export interface OnePort<Face extends object> extends Port<Face> {
  readonly kind: 'one';
}

/** A port with any number of providers, which are all called, in the order of the domains. */
export interface EveryPort<Face extends object> extends Port<Face> {
  readonly kind: 'every';
}

/** `name` says in an error what is missing. */
export const onePort = <Face extends object>(name: string): OnePort<Face> => ({ kind: 'one', name });
export const everyPort = <Face extends object>(name: string): EveryPort<Face> => ({ kind: 'every', name });

export interface Ports {
  provide<Face extends object>(port: OnePort<Face> | EveryPort<Face>, implementation: Face): void;
  /** The provider: its functions may be handed on at once, and called once the application is composed. */
  one<Face extends object>(port: OnePort<Face>): Face;
  /** The providers; empty until the application is composed. */
  every<Face extends object>(port: EveryPort<Face>): readonly Face[];
  /** Throws when something was asked for that nobody provides. */
  complete(): void;
}

/** One per application. */
export function createPorts(): Ports {
  const providers = new Map<Port<unknown>, object[]>();
  const needed = new Set<Port<unknown>>();
  const of = (port: Port<unknown>): object[] => {
    const known = providers.get(port);
    if (known) return known;
    const made: object[] = [];
    providers.set(port, made);
    return made;
  };
  const missing = (name: string) => new Error(`No feature provides: ${name}`);
  return {
    provide(port, implementation) {
      const known = of(port);
      if (port.kind === 'one' && known.length > 0) throw new Error(`Provided twice: ${port.name}`);
      known.push(implementation);
    },
    one<Face extends object>(port: OnePort<Face>): Face {
      needed.add(port);
      const known = of(port);
      // Stands in for what a later domain makes, so that it can be handed on before it exists.
      return new Proxy({} as Face, {
        get(_, key) {
          const [implementation] = known;
          if (implementation) return Reflect.get(implementation, key);
          // A function that was taken out early finds its provider when it is called.
          return (...parameters: unknown[]): unknown => {
            const [provider] = known;
            if (!provider) throw missing(port.name);
            return Reflect.get(provider, key)(...parameters);
          };
        },
      });
    },
    every<Face extends object>(port: EveryPort<Face>): readonly Face[] {
      return of(port) as Face[];
    },
    complete() {
      const first = [...needed].find((port) => of(port).length === 0);
      if (first) throw missing(first.name);
    },
  };
}
